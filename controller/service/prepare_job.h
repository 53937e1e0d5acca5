#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/plan/check_job.h"
#include "db/store/jobs.h"
#include "kernels/recipe/resolve.h"
#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::service {

// What a job becomes: everything of a store::Submission but who submits it. Pure but for
// `fragments`. InvalidArgument: CheckJob, or a machine selector that no machine meets.
// FailedPrecondition: a kernel that can not be resolved. `seed` is used when the job has none.
absl::StatusOr<store::Submission> PrepareJob(const v1::JobSpec& spec, const plan::Kernels& kernels,
                                             const std::vector<v1::MachineView>& machines,
                                             const kernels::FragmentReader& fragments,
                                             uint64_t seed);

// OK when some machine that an agent has shown meets every condition. InvalidArgument names the
// condition and the machines there are.
absl::Status CheckMachines(const v1::MachineSelector& selector,
                           const std::vector<v1::MachineView>& machines);

// Random, 1 to 2^53 - 1: every JSON reader keeps it exactly.
uint64_t DrawSeed();

}  // namespace shakedown::service
