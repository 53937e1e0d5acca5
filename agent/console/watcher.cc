#include "agent/console/watcher.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace shakedown::console {
namespace {

constexpr size_t kMaxLine = 4096;
constexpr int kLinesForFunction =
    80;  // An oops prints its RIP within these; a stall after a backtrace.

bool StartsInit(absl::string_view message) {
  return absl::StartsWith(message, "Run /") && absl::EndsWith(message, " as init process");
}

}  // namespace

void Watcher::Add(absl::string_view bytes) { TakeText(filter_.Add(bytes)); }

void Watcher::Finish() {
  TakeText(filter_.Finish());
  EndLine();
}

void Watcher::TakeText(absl::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const absl::string_view part = text.substr(0, end);
    line_.append(part.data(), std::min(part.size(), kMaxLine - line_.size()));
    if (end == absl::string_view::npos) return;
    EndLine();
    text.remove_prefix(end + 1);
  }
}

void Watcher::EndLine() {
  bool stamped = false;
  const absl::string_view message = MessageOf(line_, &stamped);
  saw_stamps_ |= stamped;
  if (message.find_first_not_of(" \t") != absl::string_view::npos) {
    Judge(message, stamped);
    last_line_ = PrintableLine(line_);
  }
  line_.clear();
}

void Watcher::Judge(absl::string_view message, bool stamped) {
  kernel_spoke_ |= stamped || absl::StartsWith(message, "Linux version ");
  if (saw_stamps_ && !stamped) return;
  // Kernels before 4.20 do not name the init they start; freeing their own memory is the step
  // before.
  reached_user_space_ |= StartsInit(message) || absl::StartsWith(message, "Freeing unused kernel");
  if (verdict_.finding == Finding::kNone) {
    const std::optional<Alarm> alarm = AlarmIn(message);
    if (!alarm) return;
    verdict_ = {alarm->finding, alarm->title};
    lines_for_function_ = alarm->wants_function ? kLinesForFunction : 0;
  } else if (lines_for_function_ > 0) {
    --lines_for_function_;
    const std::optional<std::string> function = FaultingFunction(message);
    if (!function) return;
    absl::StrAppend(&verdict_.title, " in ", *function);
    lines_for_function_ = 0;
  }
}

Verdict Classify(absl::string_view log) {
  Watcher watcher;
  watcher.Add(log);
  watcher.Finish();
  return watcher.verdict();
}

}  // namespace shakedown::console
