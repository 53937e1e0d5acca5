// All that is seen of a boot at one moment → what became of it. Pure.
#ifndef SHAKEDOWN_AGENT_MACHINE_JUDGE_H_
#define SHAKEDOWN_AGENT_MACHINE_JUDGE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agent/console/watcher.h"
#include "agent/machine/hypervisor.h"
#include "agent/machine/runner_session.h"

namespace shakedown::agent {

struct Sight {
  DomainState domain = DomainState::kRunning;
  console::Verdict console;
  // An emulated machine ran a breakpoint that was not there (agent/console/stale_breakpoint.h).
  bool stale_breakpoint = false;
  bool kernel_spoke = false;        // On the console.
  bool reached_user_space = false;  // The console says that init was started.
  std::string last_line;            // Of the console.
  std::string runner_words;         // The runner's last line on the console, if it gave up there.
  bool saw_hello = false;
  std::optional<SessionEnd> session;
  RunnerSession::Overdue overdue = RunnerSession::Overdue::kNot;
  std::string phase;  // "latt 2/3"
  absl::Duration boot_limit, run_limit, silence;
};

struct Judgement {
  absl::Status farm;  // Not OK: the farm failed, and `end` means nothing.
  SessionEnd end;
};

// Nothing while the boot goes on.
std::optional<Judgement> Judge(const Sight& sight);

// "make failed …" of the last "shakedown-runner: make failed …; powering off" in a console; else
// empty.
std::string RunnerWords(absl::string_view console);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_JUDGE_H_
