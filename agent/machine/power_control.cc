#include "agent/machine/power_control.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/machine/power_wake.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

absl::Status Bad(absl::string_view part, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(part), ": want ", want));
}

absl::Status ParsePart(absl::string_view part, PowerSpec& spec) {
  if (!spec.command.empty()) {
    spec.command.emplace_back(part);
    return absl::OkStatus();
  }
  const std::pair<absl::string_view, absl::string_view> both =
      absl::StrSplit(part, absl::MaxSplits('=', 1));
  const auto& [key, value] = both;
  if (key == "machine") {
    spec.machine = std::string(value);
    return CheckName("machine", value);
  }
  if (key == "command") {
    if (value.empty() || value[0] != '/') return Bad(part, "an absolute path");
    spec.command.emplace_back(value);
    return absl::OkStatus();
  }
  if (key == "wol") {
    spec.wake = std::string(value);
    return MagicPacket(value).status();
  }
  if (key == "via") {
    spec.via = std::string(value);
    return CheckVia(value);
  }
  return Bad(part, "machine=, command=, wol= or via=");
}

absl::Status Check(const PowerSpec& spec) {
  if (spec.machine.empty()) return absl::InvalidArgumentError("machine= is missing");
  if (spec.command.empty() == spec.wake.empty()) {
    return absl::InvalidArgumentError("want one of command= and wol=");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PowerSpec> ParsePowerSpec(absl::string_view text) {
  const std::string what = absl::StrCat("power ", Quoted(text));
  PowerSpec spec;
  for (const absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    RETURN_IF_ERROR(Annotate(ParsePart(part, spec), what));
  }
  RETURN_IF_ERROR(Annotate(Check(spec), what));
  return spec;
}

absl::StatusOr<std::vector<PowerSpec>> ParsePowerSpecs(const std::vector<std::string>& texts) {
  std::vector<PowerSpec> specs;
  std::set<std::string> machines;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(PowerSpec spec, ParsePowerSpec(text));
    if (!machines.insert(spec.machine).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("power of machine ", spec.machine, ": given twice, want one way"));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::unique_ptr<PowerControl> MakePower(const PowerSpec& spec) {
  return spec.command.empty() ? MakeWakePower(spec.wake, spec.via) : MakeCommandPower(spec.command);
}

}  // namespace shakedown::agent
