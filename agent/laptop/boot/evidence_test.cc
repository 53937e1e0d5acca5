#include "agent/laptop/boot/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::laptop {
namespace {

using testing::HasSubstr;

constexpr absl::Duration kLimit = absl::Minutes(75);
const console::Verdict kPanic = {console::Finding::kPanicked, "sched: broken"};
const console::Verdict kLockup = {console::Finding::kHung, "soft lockup on CPU 1"};
const console::Verdict kNoRoot = {console::Finding::kBootFailed, "no root file system"};

struct Case {
  std::string name;
  Evidence evidence;
  v1::Outcome outcome;
  std::string reason;
};

Evidence With(Evidence evidence) {
  evidence.limit = kLimit;
  return evidence;
}

class JudgeReturnTest : public testing::TestWithParam<Case> {};

TEST_P(JudgeReturnTest, OutcomeAndReason) {
  const Finding finding = JudgeReturn(With(GetParam().evidence));
  EXPECT_EQ(v1::Outcome_Name(finding.outcome), v1::Outcome_Name(GetParam().outcome));
  EXPECT_THAT(finding.reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    , JudgeReturnTest,
    testing::ValuesIn<Case>({
        {"NeverArmed", {}, v1::OUTCOME_FARM_FAILED, "before the reboot"},
        {"NeverArmedAPanicIsNotItsOwn", {.panic = kPanic}, v1::OUTCOME_FARM_FAILED, "before the"},
        {"NotTaken",
         {.armed = true, .not_taken = true},
         v1::OUTCOME_FARM_FAILED,
         "did not take it"},
        {"NotTakenAndLate",
         {.armed = true, .not_taken = true, .away = absl::Hours(9)},
         v1::OUTCOME_FARM_FAILED,
         "did not take it"},
        {"NotTakenAndWatchdog",
         {.armed = true, .not_taken = true, .watchdog_reset = true},
         v1::OUTCOME_FARM_FAILED,
         "did not take it"},
        {"Panic", {.armed = true, .panic = kPanic}, v1::OUTCOME_PANICKED, "sched: broken"},
        {"PanicInTest",
         {.armed = true, .in_test = true, .panic = kPanic},
         v1::OUTCOME_PANICKED,
         "sched: broken"},
        {"PanicOnTheWayHome",
         {.armed = true, .in_test = true, .going_home = true, .panic = kPanic},
         v1::OUTCOME_PANICKED,
         "sched: broken"},
        {"Lockup", {.armed = true, .in_test = true, .panic = kLockup}, v1::OUTCOME_HUNG, "lockup"},
        {"NoRoot", {.armed = true, .panic = kNoRoot}, v1::OUTCOME_BOOT_FAILED, "no root"},
        {"Watchdog",
         {.armed = true, .in_test = true, .watchdog_reset = true},
         v1::OUTCOME_HUNG,
         "hardware watchdog"},
        {"PanicBeforeWatchdog",
         {.armed = true, .in_test = true, .panic = kPanic, .watchdog_reset = true},
         v1::OUTCOME_PANICKED,
         "sched: broken"},
        {"HomeWithoutAResult",
         {.armed = true, .in_test = true, .going_home = true, .orderly = true},
         v1::OUTCOME_FARM_FAILED,
         "without a result"},
        {"ShutDownBySomebody",
         {.armed = true, .in_test = true, .user_space = true, .orderly = true},
         v1::OUTCOME_FARM_FAILED,
         "by a person or a service"},
        {"EmergencyMode",
         {.armed = true, .user_space = true, .orderly = true, .waited = true},
         v1::OUTCOME_BOOT_FAILED,
         "shakedown-way-home brought it home"},
        {"EmergencyModeAfterOurService",
         {.armed = true, .in_test = true, .user_space = true, .orderly = true, .waited = true},
         v1::OUTCOME_FARM_FAILED,
         "by a person or a service"},
        {"JustInTime",
         {.armed = true, .in_test = true, .away = kLimit},
         v1::OUTCOME_FARM_FAILED,
         "without a trace"},
        {"Late",
         {.armed = true, .in_test = true, .away = kLimit + absl::Seconds(1)},
         v1::OUTCOME_HUNG,
         "reset by hand: back after 1h15m1s, limit 1h15m"},
        {"LateBeforeUserSpace",
         {.armed = true, .away = absl::Hours(8)},
         v1::OUTCOME_HUNG,
         "reset by hand"},
        {"ClockSetBack",
         {.armed = true, .in_test = true, .away = -absl::Hours(24 * 365)},
         v1::OUTCOME_FARM_FAILED,
         "without a trace"},
        {"ClockSetForward",
         {.armed = true, .in_test = true, .away = absl::Hours(24 * 365)},
         v1::OUTCOME_FARM_FAILED,
         "without a trace"},
        {"ClockSetForwardBeforeUserSpace",
         {.armed = true, .away = absl::Hours(24 * 3650)},
         v1::OUTCOME_BOOT_FAILED,
         "never reached user space"},
        {"InTestWithoutATrace",
         {.armed = true, .in_test = true, .user_space = true},
         v1::OUTCOME_FARM_FAILED,
         "power lost, or the kernel reset"},
        {"InTestWithoutArmed", {.in_test = true}, v1::OUTCOME_FARM_FAILED, "power lost, or the"},
        {"OnlyTheSystemsJournal",
         {.armed = true, .user_space = true},
         v1::OUTCOME_FARM_FAILED,
         "before shakedown-laptop started"},
        {"Nothing", {.armed = true}, v1::OUTCOME_BOOT_FAILED, "a power cut during the boot looks"},
        {"KexecCutShort",
         {.armed = true, .fleeting = true},
         v1::OUTCOME_FARM_FAILED,
         "its shutdown did not end"},
        {"KexecCutShortForLong",
         {.armed = true, .fleeting = true, .away = absl::Hours(9)},
         v1::OUTCOME_FARM_FAILED,
         "its shutdown did not end"},
        {"KexecPanicked",
         {.armed = true, .fleeting = true, .panic = kPanic},
         v1::OUTCOME_PANICKED,
         "sched: broken"},
        {"KexecNothing",
         {.armed = true, .fleeting = true, .left_orderly = true},
         v1::OUTCOME_BOOT_FAILED,
         "never reached user space"},
    }),
    [](const auto& test) { return test.param.name; });

constexpr char kOops[] =
    "<4>[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000051\n"
    "<4>[   12.345679] CPU: 1 PID: 7 Comm: kworker/1:0 Tainted: G        W  6.12.0-sd #1\n"
    "<0>[   12.400000] Kernel panic - not syncing: Fatal exception\n";

TEST(JudgeMessagesTest, OnlyOfThisRelease) {
  EXPECT_EQ(JudgeMessages(kOops, "6.12.0-sd").finding, console::Finding::kPanicked);
  EXPECT_EQ(JudgeMessages(kOops, "6.1.0-13-amd64").finding, console::Finding::kNone);
  EXPECT_EQ(JudgeMessages(kOops, "6.12.0").finding, console::Finding::kNone);
  EXPECT_EQ(JudgeMessages("<6>[    1.000000] all is well\n", "6.12.0-sd").finding,
            console::Finding::kNone);
}

TEST(EndsOrderlyTest, OnlyTheManagersAreBelieved) {
  EXPECT_TRUE(EndsOrderly("Nov 30 laptop systemd[1]: Reached target reboot.target - Reboot.\n"));
  EXPECT_TRUE(EndsOrderly("Nov 30 laptop systemd-journald[201]: Journal stopped\n"));
  EXPECT_FALSE(EndsOrderly("Nov 30 laptop me[900]: Reached target reboot.target\n"));
  EXPECT_FALSE(EndsOrderly("Nov 30 laptop systemd[1]: Started x (Journal stopped)\n"));
  EXPECT_FALSE(EndsOrderly(""));
}

TEST(EndsWaitingTest, OnlyTheManagerIsBelieved) {
  const std::string says = "shakedown-way-home.service: Failed with result 'timeout'.";
  EXPECT_TRUE(EndsWaiting("Nov 30 laptop systemd[1]: " + says + "\n"));
  EXPECT_FALSE(EndsWaiting("Nov 30 laptop me[900]: " + says + "\n"));
  EXPECT_FALSE(EndsWaiting("Nov 30 laptop systemd[1]: shakedown-way-home.service: Deactivated\n"));
}

TEST(BootBetweenTest, IsTheOneBefore) {
  const std::string a(32, 'a'), b(32, 'b'), c(32, 'c');
  const std::string list =
      "IDX BOOT ID FIRST LAST\n-2 " + a + " x\n-1 " + b + " y\n 0 " + c + " z\n";
  EXPECT_EQ(BootBetween(list, a), b);
  EXPECT_EQ(BootBetween(list, "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"), "");
  EXPECT_EQ(BootBetween("-1 ../../etc/passwd x\n", a), "");
  EXPECT_EQ(BootBetween("-1 " + std::string(32, 'g') + " x\n", a), "");
  EXPECT_EQ(BootBetween("", a), "");
}

}  // namespace
}  // namespace shakedown::laptop
