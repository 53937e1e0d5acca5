#include "agent/machine/rest_gate.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/setup/settle.h"
#include "agent/runner/telemetry/machine_facts.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

constexpr double kDegree = 1;
constexpr absl::Duration kSteady = absl::Seconds(30);

std::string Line(const std::filesystem::path& path) {
  const absl::StatusOr<std::string> text = ReadFile(path.native(), 4096);
  return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : "";
}

std::optional<double> ReadCharge(const std::string& root) {
  std::optional<double> charge;
  std::error_code error;
  for (const auto& supply :
       std::filesystem::directory_iterator(root + "/sys/class/power_supply", error)) {
    // "Device": a mouse's, not the machine's.
    if (Line(supply.path() / "type") != "Battery" || Line(supply.path() / "scope") == "Device") {
      continue;
    }
    double percent = 0;
    if (!absl::SimpleAtod(Line(supply.path() / "capacity"), &percent)) continue;
    charge = std::min(charge.value_or(100), percent);
  }
  return charge;
}

}  // namespace

RestReading ReadForRest(const std::string& root) {
  return {.on_ac = runner::ReadOnAc(root),
          .charge = ReadCharge(root),
          .celsius = runner::ReadForSettle(root).celsius};
}

bool RestGate::Cooling(double celsius, absl::Duration now) {
  if (!lowest_ || celsius < *lowest_ - kDegree) {
    lowest_ = celsius;
    lowest_at_ = now;
  }
  return now - lowest_at_ < kSteady;
}

RestGate::Answer RestGate::Step(const RestReading& reading, absl::Duration now) {
  const bool cooling = reading.celsius && Cooling(*reading.celsius, now);
  if (!reading.on_ac.value_or(true)) {
    text_ = "ac_lost: the machine runs on battery, mains power is wanted";
  } else if (reading.charge.value_or(100) < limits_.charge) {
    text_ = absl::StrFormat("battery: charged to %.0f %%, at least %g %% is wanted",
                            *reading.charge, limits_.charge);
  } else if (reading.celsius.value_or(0) > limits_.celsius && cooling) {
    text_ = absl::StrFormat("hot: %.1f C and cooling down, at most %g C is wanted",
                            *reading.celsius, limits_.celsius);
  } else {
    text_.clear();
    return Answer::kGo;
  }
  if (now - start_ < limits_.limit) return Answer::kWait;
  absl::StrAppend(&text_, "; waited ", absl::FormatDuration(limits_.limit));
  return Answer::kVoid;
}

}  // namespace shakedown::agent
