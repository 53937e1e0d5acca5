#include "agent/runner/setup_command.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "agent/runner/setup/machine_setup.h"
#include "agent/runner/setup/step_plan.h"
#include "controller/plan/setup_text.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 64;

int Fail(const SetupDesk& desk, const absl::Status& status, int code = kFailed) {
  desk.complain(std::string(status.message()));
  return code;
}

void Print(const SetupDesk& desk, const std::vector<v1::SetupRecord>& records) {
  for (const v1::SetupRecord& record : records) {
    desk.print(absl::StrCat(
        record.step(), record.before().empty() ? "" : absl::StrCat(" (was ", record.before(), ")"),
        record.undo().empty() ? "" : absl::StrCat(", undone by: ", record.undo()), "\n"));
  }
}

absl::Status CheckAc(const std::vector<v1::SetupRecord>& records) {
  for (const v1::SetupRecord& record : records) {
    if (record.step() == "require_ac" && record.before() == kOnBattery) {
      return absl::FailedPreconditionError("setup: require_ac: the machine runs on battery");
    }
  }
  return absl::OkStatus();
}

void Settle(const MachineSetup& setup, const SetupDesk& desk) {
  Settler settler(setup.settles(), desk.clock.Elapsed());
  std::string told;
  while (!settler.Step(ReadForSettle(desk.root), desk.clock.Elapsed())) {
    if (told.empty()) desk.complain(told = settler.text());
    desk.clock.Sleep(absl::Seconds(1));
  }
  for (const std::string& warning : settler.warnings()) desk.complain(warning);
}

volatile sig_atomic_t g_child = 0;
void PassOn(int signal_number) {
  if (g_child > 0) kill(g_child, signal_number);
}

}  // namespace

int SetupCommand(const std::vector<std::string>& words, const SetupDesk& desk) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  v1::ApplySetup wanted;
  for (auto word = words.begin(); word != dashes; ++word) {
    const absl::StatusOr<v1::SetupStep> step = plan::ParseSetupStep(*word);
    if (!step.ok()) return Fail(desk, step.status(), kUsage);
    *wanted.add_steps() = *step;
  }
  std::vector<std::string> load;
  if (dashes != words.end()) load.assign(dashes + 1, words.end());
  if (wanted.steps().empty() || (dashes != words.end() && load.empty())) {
    return Fail(desk,
                absl::InvalidArgumentError("setup: want setup 'STEP'… [-- make|latt|interbench …]"),
                kUsage);
  }
  MachineSetup setup(desk.root, desk.clock);
  const auto records = setup.Apply(wanted);
  if (!records.ok()) return Fail(desk, records.status());
  if (const absl::Status ac = CheckAc(*records); !ac.ok()) return Fail(desk, ac);
  if (load.empty()) {
    Print(desk, *records);
    setup.Leave();
    return 0;
  }
  Settle(setup, desk);
  if (const absl::Status ready = setup.BeforeLoad(); !ready.ok()) return Fail(desk, ready);
  const int code = desk.run_load(load);
  const absl::Status undone = setup.Undo();
  if (!undone.ok()) Fail(desk, undone);
  return code == 0 && !undone.ok() ? kFailed : code;
}

int UndoCommand(const SetupDesk& desk) {
  const absl::Status undone = UndoLeftovers(desk.root, absl::Seconds(5), desk.clock);
  return undone.ok() ? 0 : Fail(desk, undone);
}

int RunInChild(const std::function<int()>& work) {
  const pid_t parent = getpid();
  fflush(nullptr);  // Else what is not written yet would be written twice.
  const pid_t child = fork();
  if (child < 0) {
    perror("fork");
    return kFailed;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(kFailed);
    const int code = work();
    fflush(nullptr);
    _exit(code);
  }
  g_child = child;
  struct sigaction pass = {};
  pass.sa_handler = PassOn;
  struct sigaction before[3];
  const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (int i = 0; i < 3; ++i) sigaction(signals[i], &pass, &before[i]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;
  for (int i = 0; i < 3; ++i) sigaction(signals[i], &before[i], nullptr);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace shakedown::runner
