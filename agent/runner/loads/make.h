// The make load: `make -jN TARGETS` in the kernel tree, timed; every iteration compiles everything.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_MAKE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_MAKE_H_

#include "absl/status/statusor.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Per iteration: make.real, make.user, make.sys (s), make.idle (% of all CPU time of the machine),
// make.majflt, make.ctxt (switches of make and its descendants) and its parts
// make.ctxt.{voluntary,involuntary}, make.objects (compiled; equal in every iteration of one tree).
// When the caches are dropped before each iteration all are named make.cold.*. Internal: make
// failed, or nothing was compiled. See PrepareBuild for the others.
absl::StatusOr<v1::LoadRun> RunMakeLoad(const v1::Load& load, const LoadContext& context);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_MAKE_H_
