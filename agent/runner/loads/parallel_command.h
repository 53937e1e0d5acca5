// Several copies of a program at one time.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PARALLEL_COMMAND_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PARALLEL_COMMAND_H_

#include <vector>

#include "absl/status/statusor.h"
#include "agent/runner/loads/timed_command.h"

namespace shakedown::runner {

struct ParallelTimes {
  double real_s = 0;  // From before the first to after the last.
  std::vector<CommandTimes> copies;
  // One CommandTimes for all: sums, the largest exit code, and real_s above.
  CommandTimes Whole() const;
};

// Blocks until all have ended. One copy runs in the calling thread, more in a thread for each,
// because a wait for one must not delay what is seen of another. Internal: a copy's exit code is
// not 0, which names the copy; no error with `any_status`. Others as TimeCommand.
absl::StatusOr<ParallelTimes> TimeParallel(const TimedCommand& command, uint32_t copies,
                                           bool any_status = false);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PARALLEL_COMMAND_H_
