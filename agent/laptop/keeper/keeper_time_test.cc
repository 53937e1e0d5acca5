// Countdowns, limits, one-shot boots that are tried: what time and reboots make of a keeper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/laptop/keeper/keeper_fixture.h"

namespace shakedown::laptop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class CountdownTest : public KeeperTest {
 protected:
  void Begin(const std::string& rules = "") {
    Rules(rules);
    Start();
    ASSERT_EQ(Install().error(), "");
    ASSERT_EQ(Reboot().error(), "");
    transaction.calls.clear();
  }
  bool Left() const { return !transaction.calls.empty() && transaction.calls.back() == "leave"; }
};

TEST_F(CountdownTest, TellsRemindsAndLeaves) {
  Begin();
  EXPECT_EQ(Status().countdown_s(), 60u);
  EXPECT_THAT(seat.told, ElementsAre(HasSubstr("into a test kernel in 60 s")));
  Pass(absl::Seconds(49));
  EXPECT_EQ(seat.told.size(), 1u);
  Pass(absl::Seconds(2));
  ASSERT_EQ(seat.told.size(), 2u);
  EXPECT_THAT(seat.told[1], HasSubstr("restarts in 10 s"));
  Pass(absl::Seconds(8));
  EXPECT_FALSE(Left());
  Pass(absl::Seconds(1));
  EXPECT_TRUE(Left());
  EXPECT_EQ(seat.told.size(), 2u);
  EXPECT_EQ(host.reboots, 0);
}

TEST_F(CountdownTest, TheOwnersLengthAndSilence) {
  Begin("countdown_seconds: 5 notice: false\n");
  EXPECT_THAT(seat.told, IsEmpty());
  Pass(absl::Seconds(5));
  EXPECT_TRUE(Left());
  EXPECT_THAT(seat.told, IsEmpty());
}

TEST_F(CountdownTest, NoneIsAnAnswerFirst) {
  Begin("countdown_seconds: 0\n");
  EXPECT_FALSE(Left());  // The answer goes out before.
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_LEAVING);
  keeper->Tick();
  EXPECT_TRUE(Left());
}

TEST_F(CountdownTest, AskedAgainItGoesOn) {
  Begin();
  Pass(absl::Seconds(30));
  EXPECT_EQ(Reboot().error(), "");
  EXPECT_EQ(Status().countdown_s(), 30u);
}

TEST_F(CountdownTest, APersonRefuses) {
  Begin();
  Pass(absl::Seconds(30));
  EXPECT_TRUE(keeper->Refuse().ok());
  Pass(absl::Seconds(60));
  EXPECT_FALSE(Left());
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_INSTALLED);
  EXPECT_THAT(Status().problem(), StartsWith("refused by a person at the machine, until "));
  EXPECT_NE(Reboot().error(), "");
  EXPECT_FALSE(keeper->Refuse().ok());
  // Their word holds for an hour.
  Pass(absl::Minutes(57));
  EXPECT_NE(Status().problem(), "");
  Pass(absl::Minutes(3));
  EXPECT_EQ(Status().problem(), "");
  EXPECT_EQ(Reboot().error(), "");
}

TEST_F(CountdownTest, ARefusalHoldsOverARestartOfTheDaemon) {
  Begin();
  ASSERT_TRUE(keeper->Refuse().ok());
  Pass(absl::Minutes(20));
  Start();
  EXPECT_THAT(Status().problem(), StartsWith("refused by a person at the machine, until "));
  EXPECT_NE(Reboot().error(), "");
  Pass(absl::Minutes(39));
  EXPECT_NE(Status().problem(), "");
  Pass(absl::Minutes(2));
  EXPECT_EQ(Status().problem(), "");
  Start();
  EXPECT_EQ(Status().problem(), "");
}

TEST_F(CountdownTest, ResumeEndsARefusalForGood) {
  Begin();
  ASSERT_TRUE(keeper->Refuse().ok());
  v1::OwnerCommand resume;
  resume.mutable_resume();
  ASSERT_EQ(Owner(resume).error(), "");
  Start();
  EXPECT_EQ(Status().problem(), "");
}

TEST_F(CountdownTest, APauseEndsIt) {
  Begin();
  ASSERT_EQ(Pause().error(), "");
  Pass(absl::Seconds(100));
  EXPECT_FALSE(Left());
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_INSTALLED);
}

TEST_F(CountdownTest, TheAgentTakesItBack) {
  Begin();
  EXPECT_EQ(Restore().error(), "");
  Pass(absl::Seconds(100));
  EXPECT_THAT(transaction.calls, ElementsAre("restore"));
}

TEST_F(CountdownTest, SomebodyCameBack) {
  Begin("idle_minutes: 30\n");
  seat.idle = absl::Seconds(4);
  Pass(absl::Seconds(60));
  EXPECT_FALSE(Left());
  EXPECT_THAT(seat.told.back(), HasSubstr("idle_minutes 30: idle for 0 min"));
}

TEST_F(CountdownTest, ThePowerWent) {
  root.Put("/sys/class/power_supply/BAT0/type", "Battery\n");
  root.Put("/sys/class/power_supply/AC/type", "Mains\n");
  root.Put("/sys/class/power_supply/AC/online", "1\n");
  Begin();
  root.Put("/sys/class/power_supply/AC/online", "0\n");
  Pass(absl::Seconds(60));
  EXPECT_FALSE(Left());
  EXPECT_THAT(Status().problem(), HasSubstr("need_ac true: on battery"));
}

TEST_F(CountdownTest, AnUpgradeBlocksTheShutdown) {
  Begin();
  seat.blockers = std::vector<std::string>{"apt: upgrading packages"};
  Pass(absl::Seconds(60));
  EXPECT_FALSE(Left());
  EXPECT_EQ(Status().problem(), "a shutdown is blocked by apt: upgrading packages");
  EXPECT_EQ(Status().boots_today(), 0u);
  Pass(absl::Minutes(5));
  EXPECT_EQ(Status().problem(), "");
}

TEST_F(CountdownTest, WhoBlocksCanNotBeRead) {
  Begin();
  seat.blockers = absl::UnavailableError("no bus");
  Pass(absl::Seconds(60));
  EXPECT_FALSE(Left());
}

TEST_F(CountdownTest, ALeaveThatFailsIsTold) {
  Begin();
  transaction.fail = absl::FailedPreconditionError("grubenv: not 1024 bytes");
  Pass(absl::Seconds(60));
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_INSTALLED);
  EXPECT_EQ(Status().problem(), "grubenv: not 1024 bytes");
}

TEST_F(CountdownTest, BootsAreCountedAndLimited) {
  Rules("max_boots_a_day: 2\n");
  for (int boot = 0; boot < 2; ++boot) {
    transaction.standing = {};
    Start();
    ASSERT_EQ(Install().error(), "");
    ASSERT_EQ(Reboot().error(), "");
    Pass(absl::Seconds(60));
  }
  transaction.standing = {};
  Start();
  EXPECT_THAT(Install().error(), HasSubstr(":3: max_boots_a_day 2: 2 had today"));
  clock.Advance(absl::Hours(24));
  EXPECT_EQ(Install().error(), "");
}

TEST_F(CountdownTest, OurOwnRebootsDoNotEndIdleness) {
  Begin("idle_minutes: 30\n");
  Pass(absl::Seconds(60));
  ASSERT_TRUE(Left());
  // Twenty seconds after the return nobody has come; logind's word reaches to the start only.
  transaction.standing = {};
  seat.idle = absl::InfiniteDuration();
  clock.Advance(absl::Minutes(10));
  Start(absl::Seconds(20));
  EXPECT_EQ(Status().problem(), "");
  // Somebody came.
  clock.Advance(absl::Minutes(10));
  seat.idle = absl::Minutes(1);
  EXPECT_THAT(Status().problem(), HasSubstr("idle for 1 min"));
}

TEST_F(CountdownTest, AMachineThatWasJustStartedIsNotIdle) {
  Rules("idle_minutes: 30\n");
  seat.idle = absl::InfiniteDuration();
  Start(absl::Minutes(2));
  EXPECT_THAT(Status().problem(), HasSubstr("idle for 2 min"));
}

TEST_F(CountdownTest, AClockSetBackIsFoundBeforeTheReboot) {
  Begin();
  Pass(absl::Seconds(60));
  transaction.standing = {};
  FakeClock earlier;
  earlier.Advance(absl::Hours(24 * 300));
  clock = earlier;
  Start();
  EXPECT_THAT(Install().error(), StartsWith("clock: "));
  v1::OwnerCommand resume;
  resume.mutable_resume();
  ASSERT_EQ(Owner(resume).error(), "");
  EXPECT_EQ(Install().error(), "");
}

class HomeTest : public KeeperTest {};

TEST_F(HomeTest, TheAgentNeverComes) {
  InTest();  // Up for 20 s; limits 100 s and 300 s and a minute.
  Pass(absl::Seconds(439));
  EXPECT_THAT(transaction.calls, IsEmpty());
  Pass(absl::Seconds(1));
  EXPECT_THAT(transaction.calls, ElementsAre("keep", "restore"));
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_EQ(transaction.kept.reason(), "the agent did not come within 460 s of the kernel's start");
}

TEST_F(HomeTest, NoResultComes) {
  InTest();
  ASSERT_EQ(Open().error(), "");
  Pass(absl::Seconds(440));
  EXPECT_FALSE(place.lives);
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_HUNG);
}

TEST_F(HomeTest, NobodyAsksForTheWayHome) {
  InTest();
  ASSERT_EQ(Keep().error(), "");
  Pass(absl::Seconds(59));
  EXPECT_THAT(transaction.calls, ElementsAre("keep"));
  Pass(absl::Seconds(1));
  EXPECT_THAT(transaction.calls, ElementsAre("keep", "restore"));
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_MEASURED);
}

TEST_F(HomeTest, ARebootThatDoesNotComeIsAskedForAgain) {
  InTest();
  ASSERT_EQ(Keep().error(), "");
  ASSERT_EQ(Restore().error(), "");
  Pass(absl::Seconds(59));
  EXPECT_EQ(host.reboots, 0);
  Pass(absl::Seconds(2));
  EXPECT_EQ(host.reboots, 1);
  Pass(absl::Seconds(60));
  EXPECT_EQ(host.reboots, 2);
  EXPECT_THAT(transaction.calls, ElementsAre("keep", "restore"));
}

TEST_F(HomeTest, ADaemonThatStartsLateCountsFromTheKernelsStart) {
  transaction.Stand(v1::BOOT_STAGE_IN_TEST, AnOrder());
  Start(absl::Seconds(455));
  Pass(absl::Seconds(5));
  EXPECT_THAT(transaction.calls, ElementsAre("keep", "restore"));
}

TEST_F(HomeTest, TheDaemonSaysThatItLives) {
  InTest();
  Pass(absl::Seconds(46));
  EXPECT_EQ(vigil.beats, 4);
}

class TryBootTest : public KeeperTest {
 protected:
  TryBootTest() {
    root.Put("/boot/vmlinuz-6.1.0-owner", "kernel");
    root.Put("/boot/initrd.img-6.1.0-owner", "initramfs");
    root.Put("/proc/sys/kernel/version", "#1 SMP\n");
    try_boot.mutable_try_boot();
  }
  v1::OwnerCommand try_boot;
};

TEST_F(TryBootTest, GoesAndComesHome) {
  // Before the owner has allowed anything.
  unlink((root.path() + "/etc/shakedown/owner.txtpb").c_str());
  Start();
  ASSERT_EQ(Owner(try_boot).error(), "");
  EXPECT_EQ(Status().tried_boot(), "under way");
  const v1::BootOrder order = transaction.Order();
  EXPECT_EQ(order.expected().release(), "6.1.0-owner");
  EXPECT_EQ(order.expected().version(), "#1 SMP");
  EXPECT_EQ(order.image().size(), 6u);
  EXPECT_EQ(order.initramfs().size(), 9u);
  Pass(absl::Seconds(60));
  EXPECT_EQ(transaction.calls.back(), "leave");

  transaction.Stand(v1::BOOT_STAGE_IN_TEST, order);
  Start();
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_MEASURED);
  EXPECT_EQ(transaction.calls.back(), "restore");

  transaction.Stand(v1::BOOT_STAGE_RETURNED, order);
  Start();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  EXPECT_THAT(Status().tried_boot(), StartsWith("ok 20"));
  EXPECT_THAT(Status().tried_boot(), HasSubstr(" grub"));
  EXPECT_EQ(Status().boots_today(), 0u);
  Rules("need_tried_boot: true\n");
  EXPECT_EQ(Status().problem(), "");
}

TEST_F(TryBootTest, SaysWhatWentWrong) {
  Start();
  ASSERT_EQ(Owner(try_boot).error(), "");
  const v1::BootOrder order = transaction.Order();
  transaction.Stand(v1::BOOT_STAGE_RETURNED, order);
  transaction.kept.set_outcome(v1::OUTCOME_BOOT_FAILED);
  transaction.kept.set_reason("not booted");
  Start();
  EXPECT_EQ(Status().tried_boot(), "BOOT_FAILED: not booted");
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  Rules("need_tried_boot: true\n");
  EXPECT_THAT(Install().error(), HasSubstr("need_tried_boot true: BOOT_FAILED"));
}

TEST_F(TryBootTest, ARefusedOneIsTakenBack) {
  Start();
  ASSERT_EQ(Owner(try_boot).error(), "");
  ASSERT_TRUE(keeper->Refuse().ok());
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  EXPECT_THAT(Status().tried_boot(), StartsWith("refused by a person"));
}

TEST_F(TryBootTest, ADaemonThatEndedBeforeTheRebootTakesItBack) {
  Start();
  ASSERT_EQ(Owner(try_boot).error(), "");
  Start();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  EXPECT_EQ(Status().tried_boot(), "the daemon ended before the reboot");
}

TEST_F(TryBootTest, TheAgentHasNoPartInIt) {
  Start();
  ASSERT_EQ(Owner(try_boot).error(), "");
  const std::string attempt = transaction.Order().attempt_id();
  EXPECT_THAT(Reboot(attempt).error(), HasSubstr("is being tried"));
  EXPECT_THAT(Restore(attempt).error(), HasSubstr("is being tried"));
  EXPECT_THAT(Install().error(), HasSubstr("is being tried"));
  transaction.Stand(v1::BOOT_STAGE_IN_TEST, transaction.Order());
  Start();
  EXPECT_THAT(Open(attempt).error(), HasSubstr("is being tried"));
  EXPECT_THAT(Keep(attempt).error(), HasSubstr("is being tried"));
}

TEST_F(TryBootTest, NeedsAKernelOfItsOwnAndNoOtherBoot) {
  host.release = "6.9-unknown";
  Start();
  EXPECT_THAT(Owner(try_boot).error(), HasSubstr("/boot/vmlinuz-6.9-unknown"));
  host.release = "../../etc/passwd";
  EXPECT_NE(Owner(try_boot).error(), "");
  transaction.Stand(v1::BOOT_STAGE_INSTALLED, AnOrder());
  Start();
  EXPECT_THAT(Owner(try_boot).error(), HasSubstr("another boot is under way"));
  EXPECT_THAT(transaction.calls, Not(Contains(StartsWith("install"))));
}

}  // namespace
}  // namespace shakedown::laptop
