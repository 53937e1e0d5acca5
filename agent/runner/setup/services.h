// Services of the machine: systemd's units, or System V scripts where there is no systemd.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_SERVICES_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_SERVICES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::runner {

struct Service {
  bool systemd = false;
  std::string name;
};

// `root` stands before /run/systemd and /etc/init.d; empty outside tests. `name`: as CheckSetupStep
// allows. NotFound: this machine has no such service, or nothing that manages services.
absl::StatusOr<Service> FindService(const std::string& name, const std::string& root = "");

absl::StatusOr<bool> IsRunning(const Service& service, const std::string& root = "");
// Idempotent. Each waits until the manager says that it is done, at most a minute.
absl::Status StopService(const Service& service, const std::string& root = "");
absl::Status StartService(const Service& service, const std::string& root = "");

// "systemctl start cron": for people.
std::string StartLine(const Service& service);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_SERVICES_H_
