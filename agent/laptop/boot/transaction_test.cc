// The transaction step by step, on a laptop of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/laptop/boot/fake_laptop.h"
#include "agent/laptop/boot/laptop_fixture.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(InstallTest, MakesItsOwnInitramfsAndAnEntry) {
  Laptop laptop("grub");
  laptop.host->dep_works = false;  // MODULES=most is tried then.
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  const std::string folder = absl::StrCat("/boot/shakedown/", kAttempt);
  EXPECT_THAT(ReadText(laptop.root + folder + "/initrd.img"), HasSubstr("made of 6.12.0-sd"));
  EXPECT_EQ(ReadText(laptop.root + "/lib/modules/6.12.0-sd/modules.dep"), "kernel/fs/ext4.ko:\n");
  EXPECT_EQ(ReadText(InputPath(laptop.root + kState, 0)), std::string(3000, 'x'));
  EXPECT_FALSE(Exists(laptop.root + "/boot/config-6.12.0-sd"));
  EXPECT_FALSE(Exists(laptop.root + kState + "/work"));
  EXPECT_THAT(
      ReadText(laptop.root + "/boot/grub/custom.cfg"),
      HasSubstr(absl::StrCat("linux /shakedown/", kAttempt, "/linux 'root=UUID=1b2c' 'ro'")));
}

TEST(InstallTest, NeedsNoInitramfsForARootTheKernelFinds) {
  Laptop laptop("grub");
  fs::remove(laptop.root + "/usr/sbin/mkinitramfs");
  laptop.host->command_line = "root=/dev/nvme0n1p2 ro";
  laptop.order.clear_modules();
  laptop.files.modules.clear();
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  EXPECT_FALSE(absl::StrContains(ReadText(laptop.root + "/boot/grub/custom.cfg"), "initrd"));
}

TEST(LeaveTest, ChecksAgainWhatTheLoaderWillRead) {
  Laptop laptop("grub");
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  WriteText(absl::StrCat(laptop.root, "/boot/shakedown/", kAttempt, "/linux"), "kernel 6.12.0-sx");
  EXPECT_TRUE(absl::IsDataLoss(laptop.boot->Leave()));
  EXPECT_EQ(laptop.boot->Where().stage, v1::BOOT_STAGE_INSTALLED);
}

TEST(LeaveTest, ARebootThatIsRefusedDisarms) {
  Laptop laptop("grub");
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  laptop.host->reboot = [](Host::RebootKind) { return absl::UnavailableError("no bus"); };
  EXPECT_THAT(laptop.boot->Leave().message(), HasSubstr("no bus"));
  EXPECT_EQ(laptop.boot->Where().stage, v1::BOOT_STAGE_INSTALLED);
  EXPECT_EQ(laptop.loader->ReadArmed().value(), "");
}

TEST(OpenTest, ADamagedJournalIsToldAndNothingStaysArmed) {
  Laptop laptop("grub");
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  ASSERT_TRUE(laptop.boot->Leave().ok());
  EXPECT_EQ(laptop.loader->ReadArmed().value(), kAttempt);
  const std::string path = laptop.root + kState + "/journal";
  std::string journal = ReadText(path);
  journal[40] = '!';
  WriteText(path, journal);
  const auto opened = OpenBootTransaction({.root = laptop.root, .state = laptop.root + kState},
                                          *laptop.loader, *laptop.host);
  EXPECT_TRUE(absl::IsDataLoss(opened.status()));
  EXPECT_THAT(opened.status().message(), HasSubstr(path));
  EXPECT_EQ(laptop.loader->ReadArmed().value(), "");
}

TEST(OpenTest, WithoutItsJournalItStillCleansUp) {
  for (const char* loader : {"grub", "systemd-boot"}) {
    Laptop laptop(loader);
    const auto before = Snapshot(laptop.root);
    ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
    EXPECT_NE(Snapshot(laptop.root), before);
    fs::remove(laptop.root + kState + "/journal");
    EXPECT_EQ(laptop.Boot().Where().stage, v1::BOOT_STAGE_NONE);
    EXPECT_EQ(Snapshot(laptop.root), before);
    EXPECT_TRUE(laptop.boot->Install(laptop.order, laptop.files).ok());
  }
}

TEST(OpenTest, AnEntryThatWasNotTakenIsTheFarms) {
  Laptop laptop("grub");
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  ASSERT_TRUE(laptop.boot->Leave().ok());
  laptop.host->boot_id = "c";  // Another boot, of the owner's kernel, and grubenv as it was.
  const auto result = laptop.Boot().Collect();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_THAT(result->reason(), HasSubstr("did not take it"));
  EXPECT_EQ(result->attempt_id(), kAttempt);
  EXPECT_EQ(result->epoch(), 4);
}

class InTestKernel : public testing::Test {
 protected:
  InTestKernel() : laptop_("grub") {
    EXPECT_TRUE(laptop_.Boot().Install(laptop_.order, laptop_.files).ok());
    EXPECT_TRUE(laptop_.boot->Leave().ok());
    Start("c");
  }
  BootTransaction& Start(const std::string& boot_id) {
    const Booted booted = BootMachine(laptop_.root, "grub", false);
    laptop_.host->boot_id = boot_id;
    laptop_.host->release = booted.release;
    laptop_.host->command_line = booted.command_line;
    return laptop_.Boot();
  }
  Laptop laptop_;
};

TEST_F(InTestKernel, TheRunnerOpensOnce) {
  EXPECT_EQ(laptop_.boot->Where().stage, v1::BOOT_STAGE_IN_TEST);
  EXPECT_TRUE(laptop_.boot->RunnerOpened().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(laptop_.boot->RunnerOpened()));
  EXPECT_TRUE(laptop_.Boot().Where().runner_was_open);
  EXPECT_TRUE(absl::IsFailedPrecondition(laptop_.boot->RunnerOpened()));
}

TEST_F(InTestKernel, OneResultIsKept) {
  v1::BootResult result;
  result.set_attempt_id(kAttempt);
  result.set_epoch(3);
  EXPECT_TRUE(absl::IsInvalidArgument(laptop_.boot->KeepResult(result)));
  result.set_epoch(4);
  EXPECT_TRUE(laptop_.boot->KeepResult(result).ok());
  EXPECT_TRUE(laptop_.boot->KeepResult(result).ok());
  result.set_reason("other");
  EXPECT_TRUE(absl::IsAlreadyExists(laptop_.boot->KeepResult(result)));
  EXPECT_TRUE(laptop_.boot->Where().has_result);
}

TEST_F(InTestKernel, AnotherReleaseIsTheWrongKernel) {
  laptop_.host->release = "6.12.0-other";
  laptop_.host->boot_id = "d";
  // As a fresh boot of the same journal: what was known of the first is not asked again.
  EXPECT_TRUE(laptop_.Boot().Where().has_result);
  EXPECT_TRUE(absl::IsFailedPrecondition(laptop_.boot->RunnerOpened()));
  const Booted home = BootMachine(laptop_.root, "grub", false);
  EXPECT_EQ(home.release, kSafeRelease);
  laptop_.host->release = home.release;
  laptop_.host->command_line = home.command_line;
  laptop_.host->boot_id = "e";
  EXPECT_EQ(laptop_.Boot().Collect()->outcome(), v1::OUTCOME_WRONG_KERNEL);
}

TEST_F(InTestKernel, StartedAgainIsNeverMeasured) {
  ASSERT_TRUE(laptop_.boot->RunnerOpened().ok());
  laptop_.host->boot_id = "d";
  laptop_.Boot();
  EXPECT_TRUE(laptop_.boot->Where().has_result);
  EXPECT_TRUE(absl::IsFailedPrecondition(laptop_.boot->RunnerOpened()));
}

TEST_F(InTestKernel, TheSameAttemptIsNotMeasuredAgainLater) {
  ASSERT_TRUE(laptop_.boot->RunnerOpened().ok());
  ASSERT_TRUE(Start("e").Restore().ok());
  EXPECT_EQ(laptop_.boot->Where().stage, v1::BOOT_STAGE_NONE);
  EXPECT_TRUE(absl::IsAlreadyExists(laptop_.boot->Install(laptop_.order, laptop_.files)));
}

TEST_F(InTestKernel, APanicLeavesItsText) {
  WriteText(laptop_.root + "/sys/fs/pstore/dmesg-efi-1",
            "Panic#1 Part1\n<0>[    9.000000] Kernel panic - not syncing: sched: \xff broken\n");
  const auto result = Start("e").Collect();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->outcome(), v1::OUTCOME_PANICKED);
  EXPECT_THAT(result->evidence(), HasSubstr("sched: \xef\xbf\xbd broken"));
  EXPECT_EQ(result->identity().boot_id(), "c");
  EXPECT_EQ(result->identity().release(), kTestRelease);
}

TEST_F(InTestKernel, TheWatchdogAndTheJournalTell) {
  WriteText(laptop_.root + "/sys/class/watchdog/watchdog0/bootstatus", "32\n");
  laptop_.host->journals["c"] = std::string(100'000, 'x') + "\nNov 30 laptop kernel: last words\n";
  const auto result = Start("e").Collect();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->outcome(), v1::OUTCOME_HUNG);
  EXPECT_THAT(result->evidence(), HasSubstr("last words"));
  EXPECT_LE(result->evidence().size(), 64u << 10);
}

TEST(DetectTest, TakesTheLoaderThatBootedTheMachine) {
  for (const char* name : {"grub", "systemd-boot"}) {
    Laptop laptop(name);
    EXPECT_EQ(MakeBootLoader(laptop.root, *laptop.host).value()->Name(), name);
  }
  Laptop laptop("grub");
  fs::remove_all(laptop.root + "/boot/grub");
  EXPECT_EQ(MakeBootLoader(laptop.root, *laptop.host).value()->Name(), "kexec");
  EXPECT_TRUE(absl::IsInvalidArgument(MakeBootLoader(laptop.root, *laptop.host, "lilo").status()));
}

TEST(DetectTest, AnotherChoiceLeavesNothingArmed) {
  Laptop laptop("grub");
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  ASSERT_TRUE(laptop.boot->Leave().ok());
  laptop.name = "kexec";
  laptop.Boot();
  EXPECT_EQ(MakeGrub(laptop.root, *laptop.host)->ReadArmed().value(), "");
}

}  // namespace
}  // namespace shakedown::laptop
