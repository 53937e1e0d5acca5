#include "agent/machine/judge.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::agent {
namespace {

Judgement Kernel(v1::Outcome outcome, std::string reason) {
  return {absl::OkStatus(), {outcome, std::move(reason)}};
}

Judgement Farm(absl::Status status) { return {std::move(status), {}}; }

std::string LastLine(const Sight& sight) {
  return sight.last_line.empty() ? "; its console is empty"
                                 : absl::StrCat("; last console line: ", sight.last_line);
}

std::string Seconds(absl::Duration d) { return absl::StrCat(absl::ToInt64Seconds(d), " s"); }

std::optional<Judgement> JudgeConsole(const Sight& sight) {
  if (sight.stale_breakpoint) {
    return Farm(absl::UnavailableError(absl::StrCat(
        "the emulator ran a breakpoint that the kernel had already taken away (",
        sight.console.title, "), as QEMU without KVM can when a kernel patches its code")));
  }
  switch (sight.console.finding) {
    case console::Finding::kNone:
      return std::nullopt;
    case console::Finding::kHung:
      return Kernel(v1::OUTCOME_HUNG, sight.console.title);
    case console::Finding::kBootFailed:
    case console::Finding::kPanicked:
      break;
  }
  // Before the hello an init that ends is a user space that never came.
  const bool no_user_space =
      !sight.saw_hello && (sight.console.finding == console::Finding::kBootFailed ||
                           absl::StrContains(sight.console.title, "Attempted to kill init"));
  return Kernel(no_user_space ? v1::OUTCOME_BOOT_FAILED : v1::OUTCOME_PANICKED,
                sight.console.title);
}

Judgement JudgeEnded(const Sight& sight) {
  if (!sight.runner_words.empty()) {
    return Kernel(sight.saw_hello ? v1::OUTCOME_LOAD_FAILED : v1::OUTCOME_BOOT_FAILED,
                  absl::StrCat("the runner gave up: ", sight.runner_words));
  }
  if (!sight.saw_hello) {
    return Kernel(v1::OUTCOME_BOOT_FAILED,
                  absl::StrCat("the machine ended before the runner's hello", LastLine(sight)));
  }
  return Kernel(v1::OUTCOME_PANICKED, absl::StrCat("the machine reset in mid-run (", sight.phase,
                                                   ") without a panic text", LastLine(sight)));
}

std::optional<Judgement> JudgeDomain(const Sight& sight) {
  switch (sight.domain) {
    case DomainState::kRunning:
      return std::nullopt;
    case DomainState::kPanicked:
      return Kernel(v1::OUTCOME_PANICKED,
                    absl::StrCat("the kernel panicked without a panic text", LastLine(sight)));
    case DomainState::kWatchdogFired:
      return Kernel(v1::OUTCOME_HUNG,
                    absl::StrCat("the watchdog fired in ", sight.phase, LastLine(sight)));
    case DomainState::kHostDiskFull:
      return Farm(absl::ResourceExhaustedError(absl::StrCat("machine ", NameOf(sight.domain))));
    case DomainState::kEnded:
      return JudgeEnded(sight);
    case DomainState::kHostDiskError:
    case DomainState::kQemuDied:
    case DomainState::kDestroyed:
    case DomainState::kGone:
      return Farm(absl::UnavailableError(
          absl::StrCat("machine ", NameOf(sight.domain), " in ", sight.phase)));
  }
  return std::nullopt;
}

std::optional<Judgement> JudgeTime(const Sight& sight) {
  switch (sight.overdue) {
    case RunnerSession::Overdue::kNot:
      return std::nullopt;
    case RunnerSession::Overdue::kHello:
      if (!sight.kernel_spoke) {
        return Kernel(v1::OUTCOME_BOOT_FAILED,
                      absl::StrCat("no word from the kernel within ", Seconds(sight.boot_limit)));
      }
      return Kernel(v1::OUTCOME_HUNG,
                    absl::StrCat("no hello from the runner within ", Seconds(sight.boot_limit),
                                 sight.reached_user_space ? ", though init was started" : "",
                                 LastLine(sight)));
    case RunnerSession::Overdue::kSilent:
      return Kernel(v1::OUTCOME_HUNG,
                    absl::StrCat("no word from the runner for ", Seconds(sight.silence), " in ",
                                 sight.phase, LastLine(sight)));
    case RunnerSession::Overdue::kRun:
      return Kernel(v1::OUTCOME_LOAD_FAILED,
                    absl::StrCat(sight.phase, ": the loads were not done within ",
                                 Seconds(sight.run_limit), " (run limit)"));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Judgement> Judge(const Sight& sight) {
  // What the kernel says of itself explains all the rest.
  if (auto judgement = JudgeConsole(sight)) return judgement;
  if (sight.session) return Judgement{absl::OkStatus(), *sight.session};
  if (auto judgement = JudgeDomain(sight)) return judgement;
  return JudgeTime(sight);
}

std::string RunnerWords(absl::string_view console) {
  constexpr absl::string_view kStart = "shakedown-runner: ", kEnd = "; powering off";
  const size_t end = console.rfind(kEnd);
  if (end == absl::string_view::npos) return {};
  const size_t start = console.substr(0, end).rfind(kStart);
  if (start == absl::string_view::npos) return {};
  return PrintableLine(console.substr(start + kStart.size(), end - start - kStart.size()));
}

}  // namespace shakedown::agent
