// The tree of the make load: which targets, and that each iteration really compiles them.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_BUILD_TREE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_BUILD_TREE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

// The file in the tree with the default targets, one a line.
inline constexpr char kTargetsFile[] = ".shakedown-targets";

// Targets are of three kinds: "dir/" is all below that folder, "dir/file.o" is that file, anything
// else
// ("vmlinux", "all") is a name only make knows and is cleaned with `make clean`.
struct BuildPlan {
  std::string tree;
  uint32_t jobs = 1;
  std::vector<std::string> targets;       // Empty: what make builds by itself, a name it knows.
  std::vector<std::string> Argv() const;  // make -jN TARGETS
};

// Targets: the load's, else the tree's kTargetsFile, else, where `may_lack` says so, none.
// InvalidArgument: no tree, no targets, a target that is none ([A-Za-z0-9_./+-], not starting with
// '-' or '/', without ".."), more than 1024 jobs, jobs and jobs_per_cpu.
absl::StatusOr<BuildPlan> PlanBuild(const v1::MakeLoad& load, const std::string& tree,
                                    bool may_lack = false);

// -j of the load on a machine of `cpus`.
absl::StatusOr<uint32_t> JobsFor(const v1::MakeLoad& load, uint32_t cpus);

// Removes what the targets are made of (.o, .a, .ko and their .cmd), so that they are made anew.
absl::Status RemoveObjects(const BuildPlan& plan);
// Only those of "dir/" and "dir/file.o"; for the end of a load that was stopped.
absl::Status RemoveNamedObjects(const BuildPlan& plan);

// How many .o files the targets have now. For a name only make knows: all of the tree.
absl::StatusOr<size_t> CountObjects(const BuildPlan& plan);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_BUILD_TREE_H_
