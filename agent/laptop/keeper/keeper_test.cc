#include "agent/laptop/keeper/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/laptop/keeper/keeper_fixture.h"

namespace shakedown::laptop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr auto kFailedPrecondition = static_cast<uint32_t>(absl::StatusCode::kFailedPrecondition);
constexpr auto kPermissionDenied = static_cast<uint32_t>(absl::StatusCode::kPermissionDenied);

TEST_F(KeeperTest, AWholeBoot) {
  Start();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  EXPECT_EQ(Status().problem(), "");
  EXPECT_EQ(Install().error(), "");
  EXPECT_EQ(Reboot().status().stage(), v1::BOOT_STAGE_LEAVING);
  Pass(absl::Seconds(61));
  EXPECT_THAT(transaction.calls, ElementsAre("install " + root.path() + "/image", "leave"));
  EXPECT_EQ(Status().boots_today(), 1u);

  InTest();
  EXPECT_EQ(vigil.begun, 1);
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_IN_TEST);
  EXPECT_EQ(Open().error(), "");
  EXPECT_GE(keeper->TakeRunner().get(), 0);
  EXPECT_EQ(Keep().error(), "");
  EXPECT_EQ(Restore().error(), "");
  EXPECT_FALSE(place.lives);

  transaction.Stand(v1::BOOT_STAGE_RETURNED, AnOrder());
  Start();
  const v1::LaptopReply collected = Collect();
  EXPECT_EQ(collected.error(), "");
  EXPECT_EQ(collected.collected().result().outcome(), v1::OUTCOME_MEASURED);
  EXPECT_EQ(Restore().error(), "");
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  EXPECT_EQ(host.reboots, 0);
}

TEST_F(KeeperTest, NoVerbOutOfItsStage) {
  Start();
  for (const v1::BootStage stage :
       {v1::BOOT_STAGE_NONE, v1::BOOT_STAGE_INSTALLED, v1::BOOT_STAGE_LEAVING,
        v1::BOOT_STAGE_IN_TEST, v1::BOOT_STAGE_RETURNED}) {
    if (stage == v1::BOOT_STAGE_NONE) {
      transaction.standing = {};
    } else {
      transaction.Stand(stage, AnOrder());
    }
    Start();
    if (stage != v1::BOOT_STAGE_INSTALLED) {
      EXPECT_EQ(Reboot().error_code(), kFailedPrecondition) << stage;
    }
    if (stage != v1::BOOT_STAGE_IN_TEST) {
      EXPECT_EQ(Open().error_code(), kFailedPrecondition) << stage;
      EXPECT_EQ(Keep().error_code(), kFailedPrecondition) << stage;
    }
    if (stage != v1::BOOT_STAGE_RETURNED) {
      EXPECT_EQ(Collect().error_code(), kFailedPrecondition) << stage;
    }
  }
  EXPECT_THAT(transaction.calls, IsEmpty());
}

TEST_F(KeeperTest, NoVerbForAnotherBoot) {
  transaction.Stand(v1::BOOT_STAGE_INSTALLED, AnOrder());
  Start();
  EXPECT_THAT(Reboot(kOther).error(), HasSubstr(absl::StrCat("this machine has ", kOneAttempt)));
  EXPECT_NE(Restore(kOther).error(), "");
  transaction.Stand(v1::BOOT_STAGE_IN_TEST, AnOrder());
  Start();
  EXPECT_NE(Open(kOther).error(), "");
  EXPECT_NE(Keep(kOther).error(), "");
  EXPECT_NE(Restore(kOther).error(), "");
  transaction.Stand(v1::BOOT_STAGE_RETURNED, AnOrder());
  Start();
  EXPECT_NE(Collect(kOther).error(), "");
  EXPECT_THAT(transaction.calls, IsEmpty());
}

TEST_F(KeeperTest, AMessageOfNoKindIsRefused) {
  Start();
  EXPECT_NE(Ask({}).error(), "");
  EXPECT_NE(Owner({}).error(), "");
}

TEST_F(KeeperTest, TheOwnersFileIsAskedBeforeAnInstall) {
  Rules("loads: \"latt\"\n");
  Start();
  const v1::LaptopReply refused = Install();
  EXPECT_EQ(refused.error_code(), kPermissionDenied);
  EXPECT_EQ(refused.error(), root.path() +
                                 "/etc/shakedown/owner.txtpb:3: loads do not have make, which "
                                 "the order wants");
  EXPECT_THAT(transaction.calls, IsEmpty());
}

TEST_F(KeeperTest, AFileThatOthersMayWriteAllowsNothing) {
  Start();
  chmod((root.path() + "/etc/shakedown/owner.txtpb").c_str(), 0666);
  EXPECT_THAT(Status().problem(), HasSubstr("mode 0666"));
  EXPECT_NE(Install().error(), "");
  EXPECT_THAT(transaction.calls, IsEmpty());
}

TEST_F(KeeperTest, WithoutAFileNothingIsAllowed) {
  Start();
  unlink((root.path() + "/etc/shakedown/owner.txtpb").c_str());
  EXPECT_THAT(Status().problem(), HasSubstr("nothing is allowed"));
  EXPECT_NE(Install().error(), "");
}

TEST_F(KeeperTest, RulesThatChangedAfterTheInstallHold) {
  Start();
  ASSERT_EQ(Install().error(), "");
  Rules("loads: \"latt\"\n");
  EXPECT_EQ(Reboot().error_code(), kPermissionDenied);
  Rules("max_boots_a_day: 0\n");
  EXPECT_THAT(Reboot().error(), HasSubstr(":3: max_boots_a_day 0: 0 had today"));
}

TEST_F(KeeperTest, FilesOfTheOrderCountAgainstTheDisk) {
  Rules("max_disk_mib: 1\n");
  Start();
  root.Put("/image", std::string(1 << 20, 'x'));
  EXPECT_EQ(Install().error(), "");
  transaction.standing = {};
  root.Put("/image", std::string((1 << 20) + 1, 'x'));
  EXPECT_THAT(Install().error(), HasSubstr(":3: max_disk_mib 1: the order's files have 2"));
}

TEST_F(KeeperTest, HostileOrdersAreRefused) {
  Start();
  v1::BootOrder order = AnOrder();
  order.set_attempt_id("../../etc");
  EXPECT_NE(Install(order).error(), "");
  order = AnOrder();
  order.set_name(kTryBoot);
  EXPECT_NE(Install(order).error(), "");
  order = AnOrder();
  order.add_inputs()->set_name("../x");
  EXPECT_NE(Install(order).error(), "");
  order = AnOrder();
  for (int i = 0; i < 100; ++i) order.add_inputs()->set_name("x");
  EXPECT_NE(Install(order).error(), "");
  EXPECT_THAT(transaction.calls, IsEmpty());
}

TEST_F(KeeperTest, ErrorsAreOneBoundedLine) {
  Start();
  transaction.fail = absl::DataLossError("image:\n\x1b[2J" + std::string(10000, 'x'));
  const v1::LaptopReply reply = Install();
  EXPECT_EQ(reply.error_code(), static_cast<uint32_t>(absl::StatusCode::kDataLoss));
  EXPECT_THAT(reply.error(), StartsWith("image: x"));
  EXPECT_LT(reply.error().size(), 1100u);
}

TEST_F(KeeperTest, ATransactionsProblemIsTold) {
  Start();
  transaction.problem = "/boot: 12 MiB free, want 96 MiB";
  EXPECT_EQ(Status().problem(), "/boot: 12 MiB free, want 96 MiB");
  EXPECT_EQ(Install().error(), "/boot: 12 MiB free, want 96 MiB");
}

TEST_F(KeeperTest, TheRunnerOpensOnce) {
  Rules("network: NETWORK_DOWN\n");
  v1::BootOrder order = AnOrder();
  order.add_inputs()->set_name("linux-6.12");
  InTest(order);
  ASSERT_EQ(Open().error(), "");
  ASSERT_EQ(place.started.size(), 1u);
  EXPECT_EQ(place.started[0].name, "linux-6.12");
  EXPECT_EQ(place.started[0].image, "/inputs/0.img");
  EXPECT_EQ(place.links, v1::NETWORK_DOWN);
  EXPECT_THAT(Open().error(), HasSubstr("opened before, want once"));
  keeper->EndRunner();
  EXPECT_EQ(place.ended, 1);
  EXPECT_NE(Open().error(), "");
  // Nor after the daemon was started anew.
  Start();
  EXPECT_NE(Open().error(), "");
  EXPECT_TRUE(Status().runner_was_open());
}

TEST_F(KeeperTest, ARunnerThatDoesNotStartHasBeenOpened) {
  InTest();
  place.fail = absl::NotFoundError("mount: no loop device");
  EXPECT_EQ(Open().error(), "mount: no loop device");
  EXPECT_TRUE(Status().runner_was_open());
}

TEST_F(KeeperTest, NoRunnerAfterTheResult) {
  InTest();
  ASSERT_EQ(Keep().error(), "");
  EXPECT_THAT(Open().error(), HasSubstr("its result is kept"));
}

TEST_F(KeeperTest, AResultHasAnOutcome) {
  InTest();
  v1::LaptopRequest request;
  request.mutable_keep_result()->mutable_result()->set_attempt_id(kOneAttempt);
  EXPECT_EQ(Ask(request).error(), "result without outcome");
}

TEST_F(KeeperTest, AFailedJournalEndsTheProcess) {
  Start();
  transaction.fail = absl::InternalError("journal: No space left on device");
  EXPECT_NE(Install().error(), "");
  EXPECT_EQ(keeper->fatal().message(), "journal: No space left on device");
  transaction.fail = absl::OkStatus();
  EXPECT_THAT(Install().error(), StartsWith("ends: "));
}

TEST_F(KeeperTest, OwnersCommandsAreRoots) {
  Start();
  v1::OwnerCommand command;
  command.mutable_pause();
  EXPECT_EQ(Owner(command, false).error_code(), kPermissionDenied);
  EXPECT_FALSE(Status().paused());
}

TEST_F(KeeperTest, PausedOverRestarts) {
  Start();
  ASSERT_EQ(Pause().error(), "");
  Start();
  EXPECT_TRUE(Status().paused());
  EXPECT_EQ(Install().error(), "paused by the owner (shakedown-laptop resume)");
  v1::OwnerCommand resume;
  resume.mutable_resume();
  ASSERT_EQ(Owner(resume).error(), "");
  EXPECT_EQ(Install().error(), "");
}

TEST_F(KeeperTest, APauseUntilATimeEnds) {
  Start();
  const int64_t now = absl::ToUnixSeconds(clock.Now());
  EXPECT_NE(Pause(now).error(), "");
  ASSERT_EQ(Pause(now + 60).error(), "");
  EXPECT_THAT(Install().error(), StartsWith("paused by the owner until 202"));
  clock.Advance(absl::Seconds(60));
  EXPECT_EQ(Install().error(), "");
}

TEST_F(KeeperTest, StopTakesAnInstalledBootBack) {
  Start();
  ASSERT_EQ(Install().error(), "");
  ASSERT_EQ(Stop().error(), "");
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
  EXPECT_TRUE(Status().paused());
}

TEST_F(KeeperTest, StopTakesAnArmedBootBackWhoseRebootDoesNotCome) {
  transaction.Stand(v1::BOOT_STAGE_LEAVING, AnOrder());
  Start();
  ASSERT_EQ(Stop().error(), "");
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
}

TEST_F(KeeperTest, ARebootThatDoesNotComeIsTakenBackByItself) {
  transaction.Stand(v1::BOOT_STAGE_LEAVING, AnOrder());
  Keeper& keeper = Start();
  keeper.Tick();
  clock.Advance(absl::Minutes(9));
  keeper.Tick();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_LEAVING);
  clock.Advance(absl::Minutes(1));
  keeper.Tick();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
}

TEST_F(KeeperTest, SaysWhatAPersonHasToPress) {
  Start();
  EXPECT_THAT(Status().hands(), HasSubstr("power button"));
}

TEST_F(KeeperTest, StopLeavesAReturnedResultToItsAgent) {
  transaction.Stand(v1::BOOT_STAGE_RETURNED, AnOrder());
  Start();
  ASSERT_EQ(Stop().error(), "");
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_RETURNED);
}

TEST_F(KeeperTest, StopInTestGoesHomeWithACancelledResult) {
  InTest();
  ASSERT_EQ(Open().error(), "");
  ASSERT_EQ(Stop().error(), "");
  EXPECT_FALSE(place.lives);
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(transaction.kept.reason(), "stopped by the machine's owner");
  EXPECT_EQ(transaction.kept.attempt_id(), kOneAttempt);
  EXPECT_EQ(transaction.kept.epoch(), 4);
  EXPECT_THAT(transaction.calls, ElementsAre("opened", "keep", "restore"));
}

TEST_F(KeeperTest, StopDoesNotReplaceAResult) {
  InTest();
  ASSERT_EQ(Keep().error(), "");
  ASSERT_EQ(Stop().error(), "");
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_MEASURED);
  EXPECT_THAT(transaction.calls, ElementsAre("keep", "restore"));
}

TEST_F(KeeperTest, StopGoesHomeWhateverFails) {
  InTest();
  transaction.fail = absl::InternalError("journal: I/O error");
  Stop();
  EXPECT_EQ(host.reboots, 1);
}

TEST_F(KeeperTest, LeaveTakesEverythingBackInTheOwnersKernelOnly) {
  v1::OwnerCommand leave;
  leave.mutable_leave();
  InTest();
  EXPECT_THAT(Owner(leave).error(), HasSubstr("shakedown-laptop stop"));
  for (const v1::BootStage stage : {v1::BOOT_STAGE_INSTALLED, v1::BOOT_STAGE_RETURNED}) {
    transaction.Stand(stage, AnOrder());
    Start();
    EXPECT_EQ(Owner(leave).error(), "");
    EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
    EXPECT_TRUE(Status().paused());
  }
}

TEST_F(KeeperTest, StatusHasTheMachinesFacts) {
  root.Put("/sys/class/dmi/id/product_name", "20XW\n");
  Start();
  const v1::LaptopStatus status = Status();
  EXPECT_EQ(status.facts().at("dmi.model"), "20XW");
  EXPECT_EQ(status.facts().at("loader"), "grub");
  EXPECT_EQ(status.facts().at("secure_boot"), "off");
  EXPECT_EQ(status.loader(), "grub");
  EXPECT_EQ(status.release(), "6.1.0-owner");
  EXPECT_EQ(status.boot_id(), host.boot_id);
}

TEST(ConfigValueTest, TheLinesThatTheAgentReads) {
  EXPECT_EQ(ConfigValue("name = x1\nserver = farm:8443\n", "server"), "farm:8443");
  EXPECT_EQ(ConfigValue("server=\"farm:8443\"", "server"), "farm:8443");
  EXPECT_EQ(ConfigValue("  server = 'unix:/x'  ", "server"), "unix:/x");
  EXPECT_EQ(ConfigValue("#server = farm:1\nmy-server = x\n", "server"), "");
  EXPECT_EQ(ConfigValue("server", "server"), "");
}

}  // namespace
}  // namespace shakedown::laptop
