// What a bisect's request means: the search of controller/history, the kernels and the jobs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/history/bisect.h"
#include "db/store/bisects.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::service {

// `request` is whole: all its candidates, min_change and max_boots are there. InvalidArgument: the
// candidates are no list or graph, or the metric is not known.
absl::StatusOr<history::BisectProblem> ProblemOf(const v1::StartBisectRequest& request);

// The catalog's name for a candidate: itself, or one for the commit.
std::string BisectKernelName(const v1::StartBisectRequest& request, uint32_t candidate);

// The catalog's entry for a commit of `request.git()`: configuration, toolchain, boot parameters
// and tunables of the kernel it is like; its source and its patches are not taken over.
v1::Kernel CommitKernel(const v1::StartBisectRequest& request, uint32_t candidate);

// A trial's job: A is the base, B the candidate.
v1::JobSpec BisectJob(const v1::StartBisectRequest& request, int64_t bisect,
                      const store::BisectTrial& trial);

history::BisectTrial ToHistory(const store::BisectTrial& trial);
store::BisectTrial ToStore(const history::BisectTrial& trial);

// Without number, request, state and times.
v1::BisectView BisectViewOf(const history::BisectProblem& problem, const history::BisectNext& next,
                            const std::vector<store::BisectTrial>& trials);

}  // namespace shakedown::service
