#include "agent/machine/judge.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

using Overdue = RunnerSession::Overdue;

Sight ASight() {
  Sight sight;
  sight.kernel_spoke = true;
  sight.phase = "latt 2/3";
  sight.last_line = "random: crng init done";
  sight.boot_limit = absl::Seconds(60);
  sight.run_limit = absl::Seconds(300);
  sight.silence = absl::Seconds(90);
  return sight;
}

struct JudgeCase {
  std::string name;
  std::function<void(Sight&)> change;
  v1::Outcome want;  // UNSPECIFIED: it goes on. FARM_FAILED: a status.
  std::string reason;
};
class JudgeTest : public testing::TestWithParam<JudgeCase> {};

TEST_P(JudgeTest, Judges) {
  Sight sight = ASight();
  GetParam().change(sight);
  const std::optional<Judgement> judgement = Judge(sight);
  if (GetParam().want == v1::OUTCOME_UNSPECIFIED) {
    EXPECT_FALSE(judgement.has_value());
    return;
  }
  ASSERT_TRUE(judgement.has_value());
  const bool farm = GetParam().want == v1::OUTCOME_FARM_FAILED;
  EXPECT_EQ(!judgement->farm.ok(), farm) << judgement->farm;
  if (!farm) {
    EXPECT_EQ(judgement->end.outcome, GetParam().want);
  }
  EXPECT_THAT(farm ? std::string(judgement->farm.message()) : judgement->end.reason,
              testing::HasSubstr(GetParam().reason));
}

console::Verdict Says(console::Finding finding, std::string title) { return {finding, title}; }

INSTANTIATE_TEST_SUITE_P(
    , JudgeTest,
    testing::ValuesIn<JudgeCase>({
        {"GoesOn", [](Sight&) {}, v1::OUTCOME_UNSPECIFIED, ""},
        {"Measured",
         [](Sight& s) {
           s.session = SessionEnd{v1::OUTCOME_MEASURED, ""};
         },
         v1::OUTCOME_MEASURED, ""},
        {"MeasuredWhileTheMachineEnds",
         [](Sight& s) {
           s.session = SessionEnd{v1::OUTCOME_MEASURED, ""};
           s.domain = DomainState::kEnded;
         },
         v1::OUTCOME_MEASURED, ""},
        {"Panic",
         [](Sight& s) {
           s.console = Says(console::Finding::kPanicked, "Kernel panic - not syncing: x");
           s.domain = DomainState::kPanicked;
         },
         v1::OUTCOME_PANICKED, "Kernel panic - not syncing: x"},
        {"StaleBreakpoint",
         [](Sight& s) {
           s.console = Says(console::Finding::kPanicked, "int3 in sched_clock_cpu");
           s.stale_breakpoint = true;
         },
         v1::OUTCOME_FARM_FAILED, "already taken away (int3 in sched_clock_cpu)"},
        {"PanicExplainsAFailedLoad",
         [](Sight& s) {
           s.saw_hello = true;
           s.session = SessionEnd{v1::OUTCOME_LOAD_FAILED, "make ended with 2"};
           s.console = Says(console::Finding::kPanicked, "BUG: x in y");
         },
         v1::OUTCOME_PANICKED, "BUG: x in y"},
        {"NoRootDisk",
         [](Sight& s) {
           s.console = Says(console::Finding::kBootFailed, "Unable to mount root fs");
         },
         v1::OUTCOME_BOOT_FAILED, "Unable to mount root fs"},
        {"NoRootDiskInMidRun",
         [](Sight& s) {
           s.saw_hello = true;
           s.console = Says(console::Finding::kBootFailed, "Unable to mount root fs");
         },
         v1::OUTCOME_PANICKED, ""},
        {"InitEndsBeforeTheHello",
         [](Sight& s) { s.console = Says(console::Finding::kPanicked, "Attempted to kill init!"); },
         v1::OUTCOME_BOOT_FAILED, "Attempted to kill init!"},
        {"InitEndsInMidRun",
         [](Sight& s) {
           s.saw_hello = true;
           s.console = Says(console::Finding::kPanicked, "Attempted to kill init!");
         },
         v1::OUTCOME_PANICKED, "Attempted to kill init!"},
        {"Lockup", [](Sight& s) { s.console = Says(console::Finding::kHung, "BUG: soft lockup"); },
         v1::OUTCOME_HUNG, "BUG: soft lockup"},
        {"PanicWithoutText", [](Sight& s) { s.domain = DomainState::kPanicked; },
         v1::OUTCOME_PANICKED, "last console line: random: crng init done"},
        {"Watchdog", [](Sight& s) { s.domain = DomainState::kWatchdogFired; }, v1::OUTCOME_HUNG,
         "watchdog fired in latt 2/3"},
        {"ResetBeforeTheHello", [](Sight& s) { s.domain = DomainState::kEnded; },
         v1::OUTCOME_BOOT_FAILED, "before the runner's hello; last console line"},
        {"ResetInMidRun",
         [](Sight& s) {
           s.domain = DomainState::kEnded;
           s.saw_hello = true;
         },
         v1::OUTCOME_PANICKED, "mid-run (latt 2/3)"},
        {"RunnerGaveUp",
         [](Sight& s) {
           s.domain = DomainState::kEnded;
           s.saw_hello = true;
           s.runner_words = "service crashed with signal 11";
         },
         v1::OUTCOME_LOAD_FAILED, "signal 11"},
        {"RunnerGaveUpBeforeTheHello",
         [](Sight& s) {
           s.domain = DomainState::kEnded;
           s.runner_words = "/dev/vda: No such file or directory";
         },
         v1::OUTCOME_BOOT_FAILED, "/dev/vda"},
        {"QemuKilled", [](Sight& s) { s.domain = DomainState::kQemuDied; }, v1::OUTCOME_FARM_FAILED,
         "QEMU died in latt 2/3"},
        {"HostDiskFull", [](Sight& s) { s.domain = DomainState::kHostDiskFull; },
         v1::OUTCOME_FARM_FAILED, "no space left"},
        {"HostDiskError", [](Sight& s) { s.domain = DomainState::kHostDiskError; },
         v1::OUTCOME_FARM_FAILED, "disk error"},
        {"Destroyed", [](Sight& s) { s.domain = DomainState::kDestroyed; }, v1::OUTCOME_FARM_FAILED,
         "somebody"},
        {"Gone", [](Sight& s) { s.domain = DomainState::kGone; }, v1::OUTCOME_FARM_FAILED, "gone"},
        {"NeverSpoke",
         [](Sight& s) {
           s.overdue = Overdue::kHello;
           s.kernel_spoke = false;
         },
         v1::OUTCOME_BOOT_FAILED, "no word from the kernel within 60 s"},
        {"NoHello", [](Sight& s) { s.overdue = Overdue::kHello; }, v1::OUTCOME_HUNG,
         "no hello from the runner within 60 s; last"},
        {"NoHelloAfterInit",
         [](Sight& s) {
           s.overdue = Overdue::kHello;
           s.reached_user_space = true;
         },
         v1::OUTCOME_HUNG, "though init was started"},
        {"Silent", [](Sight& s) { s.overdue = Overdue::kSilent; }, v1::OUTCOME_HUNG,
         "no word from the runner for 90 s in latt 2/3"},
        {"SilentBecauseQemuDied",
         [](Sight& s) {
           s.overdue = Overdue::kSilent;
           s.domain = DomainState::kQemuDied;
         },
         v1::OUTCOME_FARM_FAILED, "QEMU died"},
        {"TooSlow", [](Sight& s) { s.overdue = Overdue::kRun; }, v1::OUTCOME_LOAD_FAILED,
         "latt 2/3: the loads were not done within 300 s"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(RunnerWordsTest, AreTheLastBeforeTheEnd) {
  EXPECT_EQ(
      RunnerWords("x\nshakedown-runner: a\nshakedown-runner: /dev/vda: none; powering off\r\n"),
      "/dev/vda: none");
  EXPECT_EQ(RunnerWords("shakedown-runner: a\n"), "");
  EXPECT_EQ(RunnerWords("; powering off"), "");
}

}  // namespace
}  // namespace shakedown::agent
