// The command latt runs around, in a process of its own.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_COMMAND_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_COMMAND_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/runner/loads/build_tree.h"
#include "agent/runner/loads/timed_command.h"

namespace shakedown::runner {

struct LattCommand {
  TimedCommand command;
  uint32_t copies = 1;             // Of it, at one time.
  std::optional<BuildPlan> build;  // Its objects are removed before each run.
  absl::Duration repeat_for;       // Run again until this much time has passed; zero: once.
  bool any_status = false;         // An exit code is reported and no error; it ends the repetition.
};

struct LattCommandReport {
  uint32_t runs = 0;
  int exit_code = 0;  // Of the last run; 128 + signal.
  // Sums over the runs, removing objects not included.
  double real_s = 0, user_s = 0, system_s = 0;
};

// One owner; the process is ended and reaped by the destructor. What it leaves behind is the
// caller's.
class LattCommandProcess {
 public:
  LattCommandProcess() = default;
  ~LattCommandProcess();
  LattCommandProcess(const LattCommandProcess&) = delete;

  absl::Status Start(const LattCommand& command);
  // SIGINT for the command and all its descendants, as by ^C; it is not run again.
  void Interrupt();
  // Whether it has ended; never blocks.
  bool HasEnded();
  // After the end. The error of a run that failed: the first one ends the repetition.
  absl::StatusOr<LattCommandReport> Report();

 private:
  pid_t pid_ = -1;
  int report_ = -1;  // Read end.
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_COMMAND_H_
