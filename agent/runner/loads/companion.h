// A process that runs beside what is measured until it is ended.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_COMPANION_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_COMPANION_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/wire/descriptor.h"

namespace shakedown::runner {

struct CompanionPlan {
  std::string name;          // For messages: "activity music".
  int nice = 0;              // Absolute, -20 to 19.
  bool own_session = false;  // As programs of another terminal or window have; an autogroup.
  // Runs in the process, once the nice value is set. Returning ends it: why it could not go on, or
  // OK when it was done.
  std::function<absl::Status()> body;
};

// One owner, which has a single thread when it starts one.
class Companion {
 public:
  static absl::StatusOr<std::unique_ptr<Companion>> Start(const CompanionPlan& plan);
  // Ends it by SIGKILL and reaps it. What it has started is left to whoever adopts it.
  ~Companion();
  Companion(const Companion&) = delete;

  // Never blocks. Unavailable once it has ended: its name and how.
  absl::Status CheckAlive();

 private:
  Companion(std::string name, pid_t pid, Descriptor report)
      : name_(std::move(name)), pid_(pid), report_(std::move(report)) {}

  const std::string name_;
  pid_t pid_;
  const Descriptor report_;  // Read end: the body's last word.
  absl::Status ended_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_COMPANION_H_
