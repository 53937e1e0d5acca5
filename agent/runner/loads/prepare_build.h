// Which tree a make load builds in, and with which configuration.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PREPARE_BUILD_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PREPARE_BUILD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/runner/loads/build_tree.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Without `tree`, `config_target` and `config`: the guest's own tree, as it stands. Else a folder
// of its own below context.scratch, so that the source is never changed: a clean kernel tree is
// built out of place (O=), any other is copied. There the configuration is made; an option of
// `config` that `olddefconfig` has lost or changed is a warning of `run` that names it.
// FailedPrecondition: no such input, or a compiler that is ccache or distcc in disguise.
// InvalidArgument: see PlanBuild. Internal: the configuration could not be made.
absl::StatusOr<BuildPlan> PrepareBuild(const v1::MakeLoad& make, const LoadContext& context,
                                       v1::LoadRun& run);

// Whether PrepareBuild leaves `context.tree` alone.
bool BuildsInScratch(const v1::MakeLoad& make);

// The builds in `load` that work in the guest's own tree: what to clean when it was stopped.
std::vector<v1::MakeLoad> BuildsInPlace(const v1::Load& load);

// One line for each option of `wanted` (a .config) that `made` has not or has otherwise:
// "CONFIG_PREEMPT=y: not set". Pure.
std::vector<std::string> LostOptions(absl::string_view wanted, absl::string_view made);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PREPARE_BUILD_H_
