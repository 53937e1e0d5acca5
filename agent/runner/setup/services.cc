#include "agent/runner/setup/services.h"

#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/shell_quote.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::runner {
namespace {

constexpr int kNotRunning = 3;  // Of "status": LSB init scripts.

std::string Script(const Service& service, const std::string& root) {
  return absl::StrCat(root, "/etc/init.d/", service.name);
}

Command CommandOf(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.limit = absl::Minutes(1);
  return command;
}

// What systemd says of one property of the unit, such as "LoadState=loaded".
absl::StatusOr<std::string> Show(const std::string& name, const std::string& property) {
  return RunForOutput(
      CommandOf({"systemctl", "show", absl::StrCat("--property=", property), "--", name}));
}

absl::Status Do(const Service& service, const std::string& verb, const std::string& root) {
  const absl::Status done =
      RunForOutput(service.systemd ? CommandOf({"systemctl", verb, "--", service.name})
                                   : CommandOf({Script(service, root), verb}))
          .status();
  return Annotate(done, absl::StrCat(verb, " ", service.name));
}

}  // namespace

absl::StatusOr<Service> FindService(const std::string& name, const std::string& root) {
  Service service;
  service.name = name;
  service.systemd = access(absl::StrCat(root, "/run/systemd/system").c_str(), F_OK) == 0;
  if (service.systemd) {
    ASSIGN_OR_RETURN(const std::string state, Show(name, "LoadState"));
    if (!absl::StrContains(state, "LoadState=not-found")) return service;
    return absl::NotFoundError(absl::StrCat("service ", name, ": systemd has no such unit"));
  }
  struct stat status = {};
  if (stat(Script(service, root).c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_mode & S_IXUSR) != 0) {
    return service;
  }
  return absl::NotFoundError(
      absl::StrCat("service ", name, ": this machine has neither systemd nor /etc/init.d/", name));
}

absl::StatusOr<bool> IsRunning(const Service& service, const std::string& root) {
  if (service.systemd) {
    ASSIGN_OR_RETURN(const std::string state, Show(service.name, "ActiveState"));
    return absl::StrContains(state, "=active") || absl::StrContains(state, "=activating") ||
           absl::StrContains(state, "=reloading");
  }
  ASSIGN_OR_RETURN(const CommandResult result,
                   RunCommand(CommandOf({Script(service, root), "status"})));
  if (result.timed_out || (result.exit_code != 0 && result.exit_code != kNotRunning)) {
    return absl::InternalError(absl::StrCat("service ", service.name, ": its status is ",
                                            result.exit_code, ", want 0 (runs) or 3 (does not)"));
  }
  return result.exit_code == 0;
}

absl::Status StopService(const Service& service, const std::string& root) {
  return Do(service, "stop", root);
}
absl::Status StartService(const Service& service, const std::string& root) {
  return Do(service, "start", root);
}

std::string StartLine(const Service& service) {
  return service.systemd ? absl::StrCat("systemctl start ", ShellQuote(service.name))
                         : absl::StrCat("service ", ShellQuote(service.name), " start");
}

}  // namespace shakedown::runner
