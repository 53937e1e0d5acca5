#include "agent/console/alarm.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/sanitise.h"

namespace shakedown::console {
namespace {

constexpr size_t kMaxTitle = 160;

std::string Title(absl::string_view text) { return PrintableLine(text, kMaxTitle); }

template <size_t N>
bool StartsWithAny(absl::string_view text, const std::array<absl::string_view, N>& starts) {
  for (const absl::string_view start : starts) {
    if (absl::StartsWith(text, start)) return true;
  }
  return false;
}

template <size_t N>
bool ContainsAny(absl::string_view text, const std::array<absl::string_view, N>& parts) {
  for (const absl::string_view part : parts) {
    if (absl::StrContains(text, part)) return true;
  }
  return false;
}

// init/do_mounts.c, init/main.c: the ways of not finding a root disk or an init.
constexpr std::array<absl::string_view, 6> kNoUserSpace = {
    "VFS: Unable to mount root", "No working init found",    "No init found",
    "Requested init ",           "VFS: Unable to find root", "Unable to mount root"};

// kernel/watchdog.c, kernel/hung_task.c, kernel/rcu/tree_stall.h when told to panic.
constexpr std::array<absl::string_view, 5> kLockupPanics = {
    "softlockup:", "Hard LOCKUP", "hung_task:", "RCU Stall", "Watchdog detected hard LOCKUP"};

std::optional<Alarm> PanicIn(absl::string_view message) {
  if (!absl::StartsWith(message, "Kernel panic")) return std::nullopt;
  Finding finding = Finding::kPanicked;
  if (ContainsAny(message, kNoUserSpace)) finding = Finding::kBootFailed;
  if (ContainsAny(message, kLockupPanics)) finding = Finding::kHung;
  return Alarm{finding, Title(message)};
}

std::optional<Alarm> SoftLockupIn(absl::string_view message) {
  absl::ConsumePrefix(&message, "NMI ");
  absl::ConsumePrefix(&message, "watchdog: ");
  if (absl::StartsWith(message, "BUG: soft lockup")) {
    return Alarm{Finding::kHung, "BUG: soft lockup", true};
  }
  constexpr std::array<absl::string_view, 2> kOthers = {"BUG: workqueue lockup",
                                                        "BUG: spinlock lockup"};
  if (StartsWithAny(message, kOthers)) return Alarm{Finding::kHung, Title(message)};
  constexpr std::array<absl::string_view, 4> kHard = {
      "Watchdog detected hard LOCKUP", "Watchdog detected LOCKUP", "CPU0: hard LOCKUP",
      "NMI Watchdog detected LOCKUP"};
  if (StartsWithAny(message, kHard)) return Alarm{Finding::kHung, "hard lockup", true};
  return std::nullopt;
}

// "INFO: task make:812 blocked for more than 120 seconds."
std::optional<Alarm> HungTaskIn(absl::string_view message) {
  if (!absl::ConsumePrefix(&message, "INFO: task ")) return std::nullopt;
  constexpr absl::string_view kBlocked = " blocked for more than ";
  const size_t at = message.find(kBlocked);
  if (at == absl::string_view::npos) return std::nullopt;
  absl::string_view task = message.substr(0, at);
  task = task.substr(0, task.rfind(':'));  // Without the pid, which differs in each boot.
  absl::string_view how_long = message.substr(at);
  absl::ConsumeSuffix(&how_long, ".");
  return Alarm{Finding::kHung, Title(absl::StrCat("hung task: ", task, how_long))};
}

// "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "… self-detected stall on CPU".
std::optional<Alarm> RcuStallIn(absl::string_view message) {
  absl::ConsumePrefix(&message, "rcu: ");
  if (!absl::ConsumePrefix(&message, "INFO: rcu")) return std::nullopt;
  const bool stall = absl::StrContains(message, "detected stall") ||
                     absl::StrContains(message, "self-detected stall") ||
                     absl::StrContains(message, "detected expedited stall");
  if (!stall) return std::nullopt;
  return Alarm{Finding::kHung,
               Title(absl::StrCat("RCU stall: rcu", message.substr(0, message.find(' ')))), true};
}

// "Oops: 0002 [#1] SMP", "divide error: 0000 [#1]": die() writes the error code and a counter.
bool HasDieCounter(absl::string_view message) {
  const size_t at = message.find(" [#");
  if (at == absl::string_view::npos || at < 6) return false;
  if (at + 3 >= message.size() || !absl::ascii_isdigit(message[at + 3])) return false;
  const absl::string_view code = message.substr(at - 4, 4);
  for (const char c : code) {
    if (!absl::ascii_isxdigit(c)) return false;
  }
  return message.substr(at - 6, 2) == ": ";
}

// The constant part of an oops's first line: addresses differ in each boot.
absl::string_view WithoutAddress(absl::string_view text) {
  constexpr std::array<absl::string_view, 5> kCuts = {
      ", address:", " for address:", ", probably for", " at ", " at virtual address"};
  for (const absl::string_view cut : kCuts) {
    text = text.substr(0, text.find(cut));
  }
  return text;
}

std::optional<Alarm> OopsIn(absl::string_view message) {
  if (absl::StartsWith(message, "kernel BUG at ")) {
    return Alarm{Finding::kPanicked, Title(message)};
  }
  constexpr std::array<absl::string_view, 8> kStarts = {"BUG: unable to handle ",
                                                        "BUG: kernel NULL pointer dereference",
                                                        "Unable to handle kernel ",
                                                        "BUG: stack guard page was hit",
                                                        "BUG: TASK stack guard page was",
                                                        "BUG: IRQ stack guard page was",
                                                        "PANIC: double fault",
                                                        "Unhandled fault: "};
  if (StartsWithAny(message, kStarts)) {
    return Alarm{Finding::kPanicked, Title(WithoutAddress(message)), true};
  }
  // "traps: cc1[99] general protection fault ip:…" is a program's crash and starts otherwise.
  if (HasDieCounter(message) && !absl::StartsWith(message, "traps:")) {
    absl::string_view what = message.substr(0, message.find(" [#") - 6);
    while (absl::ConsumePrefix(&what, "Oops: ")) {
    }
    what = WithoutAddress(what);
    return Alarm{Finding::kPanicked, Title(what), true};
  }
  return std::nullopt;
}

bool IsStamp(absl::string_view inside) {  // "   12.345678"
  inside = absl::StripLeadingAsciiWhitespace(inside);
  const size_t dot = inside.find('.');
  if (dot == 0 || dot == absl::string_view::npos || inside.size() != dot + 7) return false;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (i != dot && !absl::ascii_isdigit(inside[i])) return false;
  }
  return true;
}

// Cuts "[…]" with any inside that `good` takes, and the space after it.
template <typename Good>
bool ConsumeBracket(absl::string_view* text, Good good) {
  if (!absl::StartsWith(*text, "[")) return false;
  const size_t end = text->substr(0, 32).find(']');
  if (end == absl::string_view::npos || !good(text->substr(1, end - 1))) return false;
  text->remove_prefix(end + 1);
  absl::ConsumePrefix(text, " ");
  return true;
}

bool IsCaller(absl::string_view inside) {  // "    T1", "C0": CONFIG_PRINTK_CALLER
  inside = absl::StripLeadingAsciiWhitespace(inside);
  if (inside.size() < 2 || (inside[0] != 'T' && inside[0] != 'C')) return false;
  for (const char c : inside.substr(1)) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return true;
}

}  // namespace

std::optional<Alarm> AlarmIn(absl::string_view message) {
  for (const auto rule : {PanicIn, SoftLockupIn, HungTaskIn, RcuStallIn, OopsIn}) {
    if (std::optional<Alarm> alarm = rule(message)) return alarm;
  }
  return std::nullopt;
}

std::optional<std::string> FaultingFunction(absl::string_view message) {
  constexpr std::array<absl::string_view, 4> kStarts = {"RIP: 0010:", "RIP:", "EIP:", "EIP is at"};
  if (!StartsWithAny(message, kStarts)) return std::nullopt;
  for (absl::string_view word : absl::StrSplit(message, absl::ByAnyChar(" :"))) {
    const size_t plus = word.find("+0x");
    if (plus == absl::string_view::npos || plus == 0) continue;
    // gcc's parts and clones of a function are that function.
    return Title(word.substr(0, std::min(plus, word.find('.'))));
  }
  return std::nullopt;
}

absl::string_view MessageOf(absl::string_view line, bool* stamped) {
  *stamped = false;
  if (line.size() > 3 && line[0] == '<' && absl::ascii_isdigit(line[1])) {
    const size_t end = line.substr(0, 5).find('>');
    if (end != absl::string_view::npos) line.remove_prefix(end + 1);
  }
  absl::string_view message = line;
  *stamped = ConsumeBracket(&message, IsStamp);
  for (size_t at = 1; !*stamped && (at = line.find('[', at)) != absl::string_view::npos; ++at) {
    message = line.substr(at);
    *stamped = ConsumeBracket(&message, IsStamp);
  }
  if (!*stamped) message = line;
  ConsumeBracket(&message, IsCaller);
  return message;
}

}  // namespace shakedown::console
