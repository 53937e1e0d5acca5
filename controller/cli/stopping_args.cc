#include "controller/cli/stopping_args.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "controller/plan/stopping.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr absl::Duration kMostSpan = absl::Hours(365 * 24);

}  // namespace

absl::StatusOr<uint64_t> ParseSpan(absl::string_view text) {
  absl::Duration span = absl::ZeroDuration();
  const bool plain = text.find_first_not_of("0123456789dhms") == text.npos;
  uint32_t days = 0;
  const bool in_days = plain && !text.empty() && text.back() == 'd' &&
                       absl::SimpleAtoi(text.substr(0, text.size() - 1), &days);
  if (in_days) span = absl::Hours(24) * days;
  if (!in_days && (!plain || !absl::ParseDuration(text, &span))) span = absl::ZeroDuration();
  if (span >= absl::Seconds(1) && span <= kMostSpan) {
    return static_cast<uint64_t>(absl::ToInt64Seconds(span));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("time ", Quoted(text), ": want 1s to 365d, e.g. 90m, 4h, 1h30m, 2d"));
}

void SetStopping(const StoppingArgs& args, v1::JobSpec* spec) {
  if (args.blocks.has_value()) {
    spec->set_blocks(*args.blocks);
    spec->set_stopping(v1::STOPPING_RULE_FIXED);
  }
  if (args.quick || args.looks) {
    spec->clear_blocks();
    spec->set_stopping(args.quick ? v1::STOPPING_RULE_QUICK : v1::STOPPING_RULE_LOOKS);
  }
  if (args.budget_s.has_value()) spec->set_budget_s(*args.budget_s);
  if (!args.primaries.empty()) {
    spec->mutable_primary_metrics()->Assign(args.primaries.begin(), args.primaries.end());
  }
  if (args.control) spec->set_control(true);
}

std::string StoppingLines(const v1::JobSpec& spec) {
  std::string text;
  const bool plain = spec.stopping() == v1::STOPPING_RULE_UNSPECIFIED ||
                     spec.stopping() == v1::STOPPING_RULE_FIXED;
  if (!plain || spec.budget_s() > 0) {
    absl::StrAppend(&text, "stopping: ", plan::StoppingText(spec));
    if (spec.budget_s() > 0) {
      absl::StrAppend(&text, "; time budget ", plan::SpanText(spec.budget_s()),
                      " from the first boot's start");
    }
    text += '\n';
  }
  if (spec.primary_metrics_size() > 0) {
    absl::StrAppend(&text, "primary metrics: ",
                    PrintableLine(absl::StrJoin(spec.primary_metrics(), ", "), 400), "\n");
  }
  return text;
}

}  // namespace shakedown::cli
