#include "agent/laptop/boot/evidence.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace shakedown::laptop {
namespace {

// Longer than a laptop stays in a drawer between two boots of one job: the clock was set.
constexpr absl::Duration kLongestAway = absl::Hours(30 * 24);

v1::Outcome OutcomeOf(console::Finding finding) {
  switch (finding) {
    case console::Finding::kBootFailed:
      return v1::OUTCOME_BOOT_FAILED;
    case console::Finding::kHung:
      return v1::OUTCOME_HUNG;
    case console::Finding::kPanicked:
    case console::Finding::kNone:
      return v1::OUTCOME_PANICKED;
  }
  return v1::OUTCOME_PANICKED;
}

std::string Rounded(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

Finding Farm(absl::string_view reason) {
  return {.outcome = v1::OUTCOME_FARM_FAILED, .reason = std::string(reason)};
}

}  // namespace

Finding JudgeReturn(const Evidence& e) {
  if (!e.in_test && !e.armed) return Farm("power lost before the reboot into the test kernel");
  if (!e.in_test && e.not_taken) {
    return Farm("firmware or loader did not take it: the one-shot entry was still armed at home");
  }
  if (e.panic.finding != console::Finding::kNone) {
    return {.outcome = OutcomeOf(e.panic.finding), .reason = e.panic.title};
  }
  if (e.watchdog_reset) {
    return {.outcome = v1::OUTCOME_HUNG, .reason = "the hardware watchdog reset the machine"};
  }
  if (e.fleeting && !e.in_test && !e.user_space && !e.left_orderly) {
    return Farm("power lost before the reboot into the test kernel, or its shutdown did not end");
  }
  if (e.waited && !e.in_test) {
    return {.outcome = v1::OUTCOME_BOOT_FAILED,
            .reason =
                "reached user space, but its system did not come up as far as "
                "shakedown-laptop (emergency mode?); shakedown-way-home brought it home"};
  }
  if (e.going_home) return Farm("it came home in order, without a result");
  if (e.orderly) {
    return Farm(
        "the test kernel was shut down in order, by a person or a service, not by the farm");
  }
  if (e.away > e.limit && e.away <= kLongestAway) {
    return {.outcome = v1::OUTCOME_HUNG,
            .reason = absl::StrCat("reset by hand: back after ", Rounded(e.away), ", limit ",
                                   Rounded(e.limit), "; a power cut that lasted looks the same")};
  }
  if (e.in_test) return Farm("power lost, or the kernel reset the machine without a trace");
  if (e.user_space) {
    return Farm(
        "reached user space; power lost, or reset without a trace, before shakedown-laptop "
        "started");
  }
  return {.outcome = v1::OUTCOME_BOOT_FAILED,
          .reason =
              "never reached user space and came home by itself, without a trace; a power cut "
              "during the boot looks the same"};
}

console::Verdict JudgeMessages(absl::string_view dmesg, absl::string_view release) {
  for (absl::string_view line : absl::StrSplit(dmesg, '\n')) {
    if (!absl::StrContains(line, " Comm: ") || !absl::StrContains(line, "ainted")) continue;
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (std::find(words.begin(), words.end(), release) == words.end()) return {};
    break;
  }
  return console::Classify(dmesg);
}

bool EndsOrderly(absl::string_view lines) {
  for (absl::string_view line : absl::StrSplit(lines, '\n')) {
    // "… host systemd[1]: Reached target reboot.target - System Reboot.": who says it counts.
    const bool manager = absl::StrContains(line, " systemd[1]: ") &&
                         (absl::StrContains(line, "]: Shutting down.") ||
                          absl::StrContains(line, "]: Reached target reboot.target") ||
                          absl::StrContains(line, "]: Reached target poweroff.target") ||
                          absl::StrContains(line, "]: Reached target shutdown.target"));
    const bool journald = absl::StrContains(line, " systemd-journald[") &&
                          absl::StrContains(line, "]: Journal stopped");
    if (manager || journald) return true;
  }
  return false;
}

bool EndsWaiting(absl::string_view lines) {
  return absl::StrContains(
      lines, " systemd[1]: shakedown-way-home.service: Failed with result 'timeout'.");
}

std::string BootBetween(absl::string_view list_boots, absl::string_view left) {
  for (absl::string_view line : absl::StrSplit(list_boots, '\n')) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 2 || words[0] != "-1" || words[1].size() != 32) continue;
    if (!std::all_of(words[1].begin(), words[1].end(), absl::ascii_isxdigit)) continue;
    if (words[1] == absl::StrReplaceAll(left, {{"-", ""}})) return "";
    return std::string(words[1]);
  }
  return "";
}

}  // namespace shakedown::laptop
