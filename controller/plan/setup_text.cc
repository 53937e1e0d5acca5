#include "controller/plan/setup_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

constexpr uint32_t kLongestWait = 3600;  // Seconds, of one settling.
constexpr absl::string_view kWanted =
    "want stop SERVICE, drop_caches, governor NAME, turbo on|off, autogroup on|off, sysctl "
    "NAME=VALUE, settle[:load=N,celsius=N,seconds=N,limit=N] or require_ac";

absl::Status Bad(absl::string_view text, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("setup step ", Quoted(text), ": ", want));
}

absl::StatusOr<bool> OnOrOff(absl::string_view text, absl::string_view word) {
  if (word == "on") return true;
  if (word == "off") return false;
  return Bad(text, "want on or off");
}

absl::Status ReadSettle(absl::string_view text, absl::string_view options, v1::Settle* settle) {
  if (options.empty()) return absl::OkStatus();
  if (!absl::ConsumePrefix(&options, ":")) return Bad(text, kWanted);
  for (absl::string_view option : absl::StrSplit(options, ',')) {
    const std::pair<absl::string_view, absl::string_view> half =
        absl::StrSplit(option, absl::MaxSplits('=', 1));
    double number = 0;
    uint32_t whole = 0;
    const bool is_number = absl::SimpleAtod(half.second, &number);
    const bool is_whole = absl::SimpleAtoi(half.second, &whole);
    if (half.first == "load" && is_number) {
      settle->set_max_load(number);
    } else if (half.first == "celsius" && is_number) {
      settle->set_max_celsius(number);
    } else if (half.first == "seconds" && is_whole) {
      settle->set_seconds(whole);
    } else if (half.first == "limit" && is_whole) {
      settle->set_limit_s(whole);
    } else {
      return Bad(text, absl::StrCat(Quoted(option),
                                    ": want load=, celsius=, seconds= or limit= and a number"));
    }
  }
  return absl::OkStatus();
}

std::string PrintSettle(const v1::Settle& settle) {
  std::vector<std::string> options;
  if (settle.max_load() != 0) options.push_back(absl::StrCat("load=", settle.max_load()));
  if (settle.max_celsius() != 0) options.push_back(absl::StrCat("celsius=", settle.max_celsius()));
  if (settle.seconds() != 0) options.push_back(absl::StrCat("seconds=", settle.seconds()));
  if (settle.limit_s() != 0) options.push_back(absl::StrCat("limit=", settle.limit_s()));
  return options.empty() ? "settle" : absl::StrCat("settle:", absl::StrJoin(options, ","));
}

bool IsServiceName(absl::string_view name) {
  return !name.empty() && name.size() <= 128 && absl::ascii_isalnum(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(c) || absl::string_view("@._:-").find(c) != std::string::npos;
         });
}

bool IsGovernorName(absl::string_view name) {
  return !name.empty() && name.size() <= 16 && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || c == '_';
  });
}

bool IsTunablePart(absl::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_' || c == '-';
         });
}

absl::Status CheckTunable(const std::string& text, const v1::Tunable& tunable) {
  absl::string_view name = tunable.name();
  const bool debugfs = absl::ConsumePrefix(&name, "sched/");
  const std::vector<absl::string_view> parts = absl::StrSplit(name, debugfs ? '/' : '.');
  if (tunable.name().size() > 128 || (!debugfs && parts.size() < 2) ||
      !std::all_of(parts.begin(), parts.end(), IsTunablePart)) {
    return Bad(text,
               "want a sysctl such as kernel.sched_rt_runtime_us or a file such as "
               "sched/base_slice_ns, at most 128 bytes of a-z 0-9 _ -");
  }
  const std::string& value = tunable.value();
  if (value.empty() || value.size() > 256 ||
      !std::all_of(value.begin(), value.end(), absl::ascii_isprint)) {
    return Bad(text, "want a value of 1 to 256 printable ASCII characters");
  }
  return absl::OkStatus();
}

absl::Status CheckSettle(const std::string& text, const v1::Settle& settle) {
  const auto outside = [](double value, double most) {
    return !std::isfinite(value) || value < 0 || value > most;
  };
  if (outside(settle.max_load(), 10000)) return Bad(text, "want a load of 0 to 10000");
  if (outside(settle.max_celsius(), 150)) return Bad(text, "want 0 to 150 degrees Celsius");
  if (settle.seconds() > kLongestWait || settle.limit_s() > kLongestWait) {
    return Bad(text, absl::StrCat("want at most ", kLongestWait, " seconds"));
  }
  if (settle.max_load() == 0 && settle.max_celsius() == 0 && settle.seconds() == 0) {
    return Bad(text, "want load=, celsius= or seconds= to wait for");
  }
  const uint32_t limit = settle.limit_s() == 0 ? 120 : settle.limit_s();
  if (settle.seconds() > limit) return Bad(text, "want seconds= to be at most limit= (or 120)");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::SetupStep> ParseSetupStep(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const size_t blank = text.find_first_of(" \t");
  const absl::string_view word = text.substr(0, blank);
  const absl::string_view rest = blank == absl::string_view::npos
                                     ? absl::string_view()
                                     : absl::StripAsciiWhitespace(text.substr(blank));
  v1::SetupStep step;
  absl::string_view options = word;
  if (absl::ConsumePrefix(&options, "settle") && rest.empty()) {
    RETURN_IF_ERROR(ReadSettle(text, options, step.mutable_settle()));
  } else if (word == "drop_caches" && rest.empty()) {
    step.set_drop_caches(true);
  } else if (word == "require_ac" && rest.empty()) {
    step.set_require_ac(true);
  } else if (word == "stop" && !rest.empty()) {
    step.set_stop_service(std::string(rest));
  } else if (word == "governor" && !rest.empty()) {
    step.set_governor(std::string(rest));
  } else if (word == "turbo") {
    ASSIGN_OR_RETURN(const bool on, OnOrOff(text, rest));
    step.set_turbo(on);
  } else if (word == "autogroup") {
    ASSIGN_OR_RETURN(const bool on, OnOrOff(text, rest));
    step.set_autogroup(on);
  } else if (word == "sysctl" && absl::StrContains(rest, '=')) {
    const size_t equals = rest.find('=');
    step.mutable_tunable()->set_name(std::string(rest.substr(0, equals)));
    step.mutable_tunable()->set_value(std::string(rest.substr(equals + 1)));
  } else {
    return Bad(text, kWanted);
  }
  RETURN_IF_ERROR(CheckSetupStep(step));
  return step;
}

std::string PrintSetupStep(const v1::SetupStep& step) {
  switch (step.kind_case()) {
    case v1::SetupStep::kStopService:
      return absl::StrCat("stop ", step.stop_service());
    case v1::SetupStep::kDropCaches:
      return "drop_caches";
    case v1::SetupStep::kGovernor:
      return absl::StrCat("governor ", step.governor());
    case v1::SetupStep::kTurbo:
      return step.turbo() ? "turbo on" : "turbo off";
    case v1::SetupStep::kAutogroup:
      return step.autogroup() ? "autogroup on" : "autogroup off";
    case v1::SetupStep::kTunable:
      return absl::StrCat("sysctl ", step.tunable().name(), "=", step.tunable().value());
    case v1::SetupStep::kSettle:
      return PrintSettle(step.settle());
    case v1::SetupStep::kRequireAc:
      return "require_ac";
    case v1::SetupStep::KIND_NOT_SET:
      break;
  }
  return "nothing";
}

absl::Status CheckSetupStep(const v1::SetupStep& step) {
  const std::string text = PrintSetupStep(step);
  switch (step.kind_case()) {
    case v1::SetupStep::kStopService:
      if (IsServiceName(step.stop_service())) return absl::OkStatus();
      return Bad(text, "want a service's name of 1 to 128 of A-Z a-z 0-9 @ . _ : -");
    case v1::SetupStep::kGovernor:
      if (IsGovernorName(step.governor())) return absl::OkStatus();
      return Bad(text, "want a governor's name of 1 to 16 of a-z _, such as performance");
    case v1::SetupStep::kDropCaches:
      if (step.drop_caches()) return absl::OkStatus();
      return Bad(text, "want it true or left out");
    case v1::SetupStep::kRequireAc:
      if (step.require_ac()) return absl::OkStatus();
      return Bad(text, "want it true or left out");
    case v1::SetupStep::kTunable:
      return CheckTunable(text, step.tunable());
    case v1::SetupStep::kSettle:
      return CheckSettle(text, step.settle());
    case v1::SetupStep::kTurbo:
    case v1::SetupStep::kAutogroup:
      return absl::OkStatus();
    case v1::SetupStep::KIND_NOT_SET:
      break;
  }
  return Bad(text, kWanted);
}

}  // namespace shakedown::plan
