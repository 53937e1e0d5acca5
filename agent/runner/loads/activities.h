// What runs beside a measured load, as music or a film did beside people's builds.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_ACTIVITIES_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_ACTIVITIES_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/runner/loads/companion.h"
#include "agent/runner/loads/load.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::runner {

// Each in a process and session of its own. One owner; ends them with itself.
class Activities {
 public:
  // `loops_per_ms` > 0 when one of them burns calibrated work. InvalidArgument: an activity of no
  // kind, an empty command.
  absl::Status Start(const google::protobuf::RepeatedPtrField<v1::Activity>& activities,
                     uint64_t loops_per_ms);
  // Unavailable: one has ended; says which, and how.
  absl::Status CheckAlive();

 private:
  std::vector<std::unique_ptr<Companion>> running_;
};

// Performs the whole request in the calling process, which has a single thread: calibrates when
// something wants it and `request` brings no number, starts the activities, takes the load's nice
// value, runs the load, and asks whether the activities still live. Errors as RunLoad's;
// Unavailable when an activity has ended.
absl::StatusOr<v1::LoadRun> PerformLoad(const v1::RunLoad& request, LoadContext context);

// Whether PerformLoad needs to know loops_per_ms.
bool NeedsCalibration(const v1::RunLoad& request);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_ACTIVITIES_H_
