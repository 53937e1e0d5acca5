#include "agent/laptop/boot/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace shakedown::laptop {
namespace {

using testing::HasSubstr;

constexpr char kRunning[] =
    "BOOT_IMAGE=/vmlinuz root=UUID=1b2c ro quiet splash resume=UUID=9 "
    "rd.luks.uuid=luks-1 panic=0 single nowatchdog i915.enable_psr=0";
constexpr char kHome[] =
    "panic=10 oops=panic softlockup_panic=1 hung_task_panic=1 "
    "nmi_watchdog=panic systemd.watchdog_sec=60 noresume "
    "efi_pstore.pstore_disable=0 shakedown.boot=A";

TEST(CommandLineTest, KeepsTheMachinesOwnAndBringsItHome) {
  EXPECT_EQ(BuildCommandLine(kRunning, "A", {"preempt=full", "isolcpus=managed_irq,1-3"}).value(),
            absl::StrCat("root=UUID=1b2c ro rd.luks.uuid=luks-1 i915.enable_psr=0 ", kHome,
                         " preempt=full isolcpus=managed_irq,1-3"));
}

TEST(CommandLineTest, OfATestKernelGivesTheSameAgain) {
  const std::string once = BuildCommandLine(kRunning, "A", {}).value();
  EXPECT_EQ(BuildCommandLine(once, "A", {}).value(), once);
}

class ParameterTest : public testing::TestWithParam<std::string> {};

TEST_P(ParameterTest, IsRefusedWithItsName) {
  const auto line = BuildCommandLine(kRunning, "A", {GetParam()});
  EXPECT_TRUE(absl::IsInvalidArgument(line.status())) << GetParam() << ": " << line.value_or("");
  EXPECT_THAT(line.status().message(), HasSubstr("boot parameter \""));
}

INSTANTIATE_TEST_SUITE_P(
    , ParameterTest,
    testing::Values("", "init=/bin/sh", "rdinit=/x", "root=/dev/sdb1", "rootflags=subvol=x", "rw",
                    "ro", "shakedown.boot=B", "shakedown.anything", "panic=0", "panic=-1",
                    "softlockup-panic=0", "nmi_watchdog=0", "nowatchdog", "hung_task_panic=0",
                    "oops=continue", "sysctl.kernel.panic=0", "sysctl.kernel.softlockup_panic=0",
                    "systemd.unit=rescue.target", "systemd.watchdog_sec=0", "single", "1", "S",
                    "emergency", "resume=/dev/sda2", "rd.break", "selinux=0", "enforcing=0",
                    "reboot=k", "initrd=/x", "BOOT_IMAGE=x", "--", "a b", "a\nb", "a'b", "a\"b",
                    "a\\b", "a`b", "a$b", "a;b", "a&b", "a|b", "a{b", "a}b", "#a", "a\tb", "\x7f",
                    "caf\xc3\xa9", std::string("a\0b", 3), std::string(300, 'a')));

TEST(CommandLineTest, AllowsWhatSchedulersAreTestedWith) {
  for (const char* word : {"preempt=full", "nohz_full=1-3", "rcu_nocbs=0-3", "mitigations=off",
                           "nosmt", "sched_verbose", "threadirqs", "isolcpus=1", "x.y=%d~[a]*!"}) {
    EXPECT_TRUE(BuildCommandLine(kRunning, "A", {word}).ok()) << word;
  }
}

TEST(CommandLineTest, RefusesALineItCanNotCarry) {
  for (const char* running : {"quiet", "", "root= ro", "root=UUID=1 dyndbg=\"file x +p\"",
                              "root=UUID=1 a\\b", "root=UUID=1 a'b", "root=UUID=1 -- x"}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(BuildCommandLine(running, "A", {}).status())) << running;
  }
  const std::string longest = absl::StrCat("root=UUID=1 x=", std::string(2000, 'y'));
  EXPECT_THAT(BuildCommandLine(longest, "A", {}).status().message(),
              HasSubstr("want at most 2047"));
  EXPECT_FALSE(BuildCommandLine(kRunning, "A", std::vector<std::string>(65, "a")).ok());
}

TEST(TokenTest, IsTheLastWholeWord) {
  EXPECT_EQ(TokenIn("root=x shakedown.boot=A quiet"), "A");
  EXPECT_EQ(TokenIn("shakedown.boot=A shakedown.boot=B"), "B");
  EXPECT_EQ(TokenIn("xshakedown.boot=A shakedown.bootx=B shakedown.boot"), "");
  EXPECT_EQ(RootIn("root=UUID=1b rootflags=x"), "UUID=1b");
}

}  // namespace
}  // namespace shakedown::laptop
