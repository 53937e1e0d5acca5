// command and tool.
#include "absl/strings/str_cat.h"
#include "controller/plan/text_loads.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

v1::LattLoad DefaultLatt() {
  v1::LattLoad latt;
  latt.set_clients(4);
  latt.set_min_sleep_ms(100);
  latt.set_sleep_width_ms(500);
  return latt;
}

}  // namespace

void AddCommandOptions(v1::CommandLoad* command, const FileReader& files, Options* options) {
  options->values["parallel"] = CountInto([command](uint32_t n) { command->set_parallel(n); });
  options->values["script"] = [command, &files](const std::string& value) -> absl::Status {
    if (!files) return absl::InvalidArgumentError("want a program behind \"--\"");
    ASSIGN_OR_RETURN(*command->mutable_script(), files(value));
    return absl::OkStatus();
  };
  // "latt" turns latt on, "latt=8" with so many clients.
  const auto under_latt = [command] {
    command->set_under_latt(true);
    *command->mutable_latt() = DefaultLatt();
  };
  options->flags["latt"] = under_latt;
  options->values["latt"] = CountInto([command, under_latt](uint32_t clients) {
    under_latt();
    command->mutable_latt()->set_clients(clients);
  });
}

void PrintCommand(const v1::CommandLoad& command, OptionPrinter& print) {
  print.Number("parallel", command.parallel(), 0);
  if (!command.script().empty()) {
    print.Text("script", absl::StrCat("(", command.script().size(), " bytes)"));
  }
  if (!command.under_latt()) return;
  const uint32_t clients = command.latt().clients();
  print.Flag("latt", clients == DefaultLatt().clients());
  if (clients != DefaultLatt().clients()) print.Text("latt", absl::StrCat(clients));
}

void AddToolOptions(v1::ToolLoad* tool, Options* options) {
  options->values["seconds"] = CountInto([tool](uint32_t n) { tool->set_seconds(n); });
}

void PrintTool(const v1::ToolLoad& tool, const v1::ToolLoad& assumed, OptionPrinter& print) {
  print.Number("seconds", tool.seconds(), assumed.seconds());
}

}  // namespace shakedown::plan
