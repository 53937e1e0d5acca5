// Wires the daemon of this machine: nothing here is for tests.
#ifndef SHAKEDOWN_AGENT_LAPTOP_DAEMON_H_
#define SHAKEDOWN_AGENT_LAPTOP_DAEMON_H_

#include <string>

#include "absl/status/status.h"
#include "agent/laptop/keeper/commands.h"

namespace shakedown::laptop {

struct DaemonOptions {
  std::string loader;  // "": the one that has booted this machine.
  std::string runner;  // The program shakedown-runner.
};

// Serves until SIGTERM or SIGINT (OK), or until the journal fails.
absl::Status RunDaemon(const DaemonOptions& options, const LaptopPaths& paths, Host& host);

// Takes back, with no daemon, whatever boot is there; OK when none is.
absl::Status UndoBoot(const LaptopPaths& paths, Host& host);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_DAEMON_H_
