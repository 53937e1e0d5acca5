// The program that loads a sched_ext scheduler and stays.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_SCHED_EXT_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_SCHED_EXT_H_

#include <sys/types.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/wire/clock.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

struct SchedExtProgram {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
};

// Starts it and waits until the kernel says that it is enabled, under the wanted name. `promise` is
// called with the process before the program begins: an error of it and nothing is started. On
// error no process is left.
// NotFound: the machine has no such program, or its kernel no sched_ext. Aborted: the program ended
// or the kernel did not take it within 30 s; with the end of what it said.
absl::StatusOr<SchedExtProgram> StartSchedExt(
    const v1::SchedExt& wanted, const std::function<absl::Status(SchedExtProgram)>& promise,
    const std::string& root, Clock& clock);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_SCHED_EXT_H_
