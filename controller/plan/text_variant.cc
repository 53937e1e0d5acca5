#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "controller/plan/text.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

constexpr absl::string_view kSchedExt = "scx:";
constexpr absl::string_view kProgramFollows = "--";

absl::Status ReadProgram(const std::vector<std::string>& words, size_t from, v1::Variant* variant) {
  if (from == words.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("variant ", variant->kernel(), ": \"--\" wants a sched_ext program after it"));
  }
  for (size_t i = from; i < words.size(); ++i) variant->mutable_sched_ext()->add_command(words[i]);
  return absl::OkStatus();
}

bool IsTunableName(absl::string_view name) {
  return name.find_first_of("./") != absl::string_view::npos;
}

}  // namespace

absl::StatusOr<v1::Variant> ParseVariant(absl::string_view text) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  if (words.empty()) {
    return absl::InvalidArgumentError("variant \"\": empty, want a kernel's name");
  }
  v1::Variant variant;
  variant.set_kernel(words[0]);
  for (size_t i = 1; i < words.size(); ++i) {
    absl::string_view word = words[i];
    const size_t equals = word.find('=');
    if (word == kProgramFollows) {
      RETURN_IF_ERROR(ReadProgram(words, i + 1, &variant));
      break;
    }
    if (absl::ConsumePrefix(&word, kSchedExt)) {
      variant.mutable_sched_ext()->set_ops(std::string(word));
    } else if (absl::ConsumePrefix(&word, "boot:")) {
      variant.add_boot_parameters(std::string(word));
    } else if (equals != absl::string_view::npos && IsTunableName(word.substr(0, equals))) {
      v1::Tunable* tunable = variant.add_tunables();
      tunable->set_name(std::string(word.substr(0, equals)));
      tunable->set_value(std::string(word.substr(equals + 1)));
    } else {
      variant.add_boot_parameters(std::string(word));
    }
  }
  if (variant.has_sched_ext() && variant.sched_ext().command().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("variant ", words[0], ": \"scx:", variant.sched_ext().ops(),
                     "\" wants the scheduler's program at the end, behind \"--\""));
  }
  return variant;
}

std::string PrintVariant(const v1::Variant& variant) {
  std::string text = variant.kernel();
  for (const std::string& parameter : variant.boot_parameters()) {
    const size_t equals = parameter.find('=');
    const bool marked = absl::StartsWith(parameter, "boot:") ||
                        absl::StartsWith(parameter, kSchedExt) || parameter == kProgramFollows ||
                        (equals != std::string::npos &&
                         IsTunableName(absl::string_view(parameter).substr(0, equals)));
    absl::StrAppend(&text, " ", marked ? "boot:" : "", parameter);
  }
  for (const v1::Tunable& tunable : variant.tunables()) {
    absl::StrAppend(&text, " ", tunable.name(), "=", tunable.value());
  }
  if (!variant.has_sched_ext()) return text;
  const v1::SchedExt& scheduler = variant.sched_ext();
  if (!scheduler.ops().empty()) absl::StrAppend(&text, " ", kSchedExt, scheduler.ops());
  absl::StrAppend(&text, " ", kProgramFollows, " ", absl::StrJoin(scheduler.command(), " "));
  return text;
}

}  // namespace shakedown::plan
