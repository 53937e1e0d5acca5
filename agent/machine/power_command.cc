#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/machine/power_control.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

class CommandPower : public PowerControl {
 public:
  CommandPower(std::vector<std::string> argv, absl::Duration limit) {
    command_.argv = std::move(argv);
    command_.limit = limit;
    command_.keep = 4096;
  }

  absl::Status Cycle(const std::atomic<bool>& cancel) override {
    Command command = command_;
    command.cancel = &cancel;
    ASSIGN_OR_RETURN(const CommandResult result, RunCommand(command));
    const std::string& program = command.argv[0];
    if (result.cancelled) {
      return absl::CancelledError(absl::StrCat(program, ": stopped with its agent"));
    }
    if (result.timed_out) {
      return absl::DeadlineExceededError(
          absl::StrCat(program, ": not done within ", absl::FormatDuration(command.limit)));
    }
    if (result.exit_code == 0) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(program, ": exit code ", result.exit_code, ": ",
                                               PrintableLine(result.output, 300)));
  }

 private:
  Command command_;
};

}  // namespace

std::unique_ptr<PowerControl> MakeCommandPower(std::vector<std::string> argv,
                                               absl::Duration limit) {
  return std::make_unique<CommandPower>(std::move(argv), limit);
}

}  // namespace shakedown::agent
