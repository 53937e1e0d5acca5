// The launch load: how long new processes take to start while the machine is busy.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LAUNCH_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LAUNCH_H_

#include "absl/status/statusor.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Per iteration: launch.{warm,cold}.{avg,p50,p95,p99,max} (us), .n, and a histogram of the same
// name (us); see TimeToFirstByte for what is timed. Without a program it is a copy of our own below
// context.scratch: a static file of known size that nobody else has mapped, so that dropping the
// caches really makes it cold. A warm load starts the program once before it measures.
// FailedPrecondition: cold, and scratch is in memory. PermissionDenied: cold needs root.
absl::StatusOr<v1::LoadRun> RunLaunchLoad(const v1::Load& load, const LoadContext& context);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LAUNCH_H_
