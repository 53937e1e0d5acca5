// What a laptop refuses before any reboot, each with one clear line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/laptop/boot/fake_laptop.h"
#include "agent/laptop/boot/firmware.h"
#include "agent/laptop/boot/laptop_fixture.h"
#include "proto/wire/digest.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Case {
  std::string name, loader;
  std::function<void(Laptop&)> change;
  std::string want;
};

class RefusalTest : public testing::TestWithParam<Case> {};

TEST_P(RefusalTest, OneLineAndNothingIsLeft) {
  Laptop laptop(GetParam().loader);
  GetParam().change(laptop);
  const auto before = Snapshot(laptop.root);
  BootTransaction& boot = laptop.Boot();
  EXPECT_THAT(boot.Problem(), HasSubstr(GetParam().want));
  EXPECT_FALSE(absl::StrContains(boot.Problem(), "\n"));
  const absl::Status status = boot.Install(laptop.order, laptop.files);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(GetParam().want));
  EXPECT_EQ(boot.Where().stage, v1::BOOT_STAGE_NONE);
  EXPECT_EQ(Snapshot(laptop.root), before);
}

void SecureBoot(Laptop& laptop) {
  WriteText(VariablePath(laptop.root, "SecureBoot", kGlobalVendor),
            VariableFile(absl::string_view("\1", 1)));
}
void WriteFile(Laptop& laptop, const std::string& path, const std::string& text) {
  WriteText(laptop.root + path, text);
}
constexpr char kEntries[] = "/boot/loader/entries";

INSTANTIATE_TEST_SUITE_P(
    , RefusalTest,
    testing::ValuesIn<Case>({
        {"BootWith40MB", "grub", [](Laptop& l) { l.Free("/boot", 40 << 20); },
         "/boot: 40 MiB free, want 81 MiB"},
        {"ReadOnlyBoot", "grub", [](Laptop& l) { l.Free("/boot", uint64_t{1} << 40, true); },
         "/boot: mounted read-only"},
        {"ReadOnlyBootMount", "grub",
         [](Laptop& l) { l.Replace("/proc/self/mountinfo", "/boot rw,", "/boot ro,"); },
         "/boot: mounted read-only"},
        {"ReadOnlyRoot", "grub", [](Laptop& l) { l.Free("/lib/modules", uint64_t{1} << 40, true); },
         "/lib/modules: mounted read-only"},
        {"FullJournalDisk", "grub", [](Laptop& l) { l.Free(kState, 3 << 20); },
         "/var/lib/shakedown-laptop: 3 MiB free, want 128 MiB"},
        {"SecureBoot", "grub", SecureBoot, "Secure Boot is on"},
        {"ShortGrubenv", "grub", [](Laptop& l) { WriteFile(l, "/boot/grub/grubenv", "# GRUB"); },
         "/boot/grub/grubenv: 6 bytes, want 1024"},
        {"BrokenGrubenv", "grub",
         [](Laptop& l) { WriteFile(l, "/boot/grub/grubenv", std::string(1024, 'x')); },
         "/boot/grub/grubenv: no \"# GRUB Environment Block\""},
        {"NoGrubenv", "grub", [](Laptop& l) { fs::remove(l.root + "/boot/grub/grubenv"); },
         "/boot/grub/grubenv: is not there"},
        {"GrubenvIsALink", "grub",
         [](Laptop& l) {
           fs::rename(l.root + "/boot/grub/grubenv", l.root + "/boot/grubenv");
           fs::create_symlink("../grubenv", l.root + "/boot/grub/grubenv");
         },
         "/boot/grub/grubenv: is a link"},
        {"NoGrubConfig", "grub", [](Laptop& l) { fs::remove(l.root + "/boot/grub/grub.cfg"); },
         "/boot/grub/grub.cfg: "},
        {"ConfigWithoutOneShot", "grub",
         [](Laptop& l) { l.Replace("/boot/grub/grub.cfg", "  load_env\n", ""); },
         "/boot/grub/grub.cfg: it does not load grubenv"},
        {"Btrfs", "grub",
         [](Laptop& l) { l.Replace("/proc/self/mountinfo", "ext4 /dev/sda2", "btrfs /dev/sda2"); },
         "/boot/grub/grubenv: on btrfs: GRUB does not write to it; want a /boot that GRUB writes "
         "to, "
         "or the kexec loader"},
        {"Lvm", "grub",
         [](Laptop& l) {
           fs::create_directories(l.root + "/sys/devices/virtual/block/dm-0/dm");
           fs::remove(l.root + "/sys/dev/block/8:2");
           fs::create_directory_symlink("../../devices/virtual/block/dm-0",
                                        l.root + "/sys/dev/block/8:2");
         },
         "/dev/sda2 is dm (put together by Linux): GRUB does not write to it"},
        {"SomebodysOneShot", "grub",
         [](Laptop& l) {
           l.Replace("/boot/grub/grubenv", "saved_entry=x\n##############",
                     "next_entry=Windows\n#########");
         },
         "next_entry is \"Windows\", set by somebody else"},
        {"CustomIsALink", "grub",
         [](Laptop& l) { fs::create_symlink("x", l.root + "/boot/grub/custom.cfg"); },
         "/boot/grub/custom.cfg: is a link"},
        {"EditedSection", "grub",
         [](Laptop& l) {
           WriteFile(l, "/boot/grub/custom.cfg",
                     "# >>> shakedown: one boot, removed when it is over\nmenuentry 'x' {\n");
         },
         "/boot/grub/custom.cfg: the section"},
        {"SystemdBootSecure", "systemd-boot", SecureBoot, "Secure Boot is on"},
        {"NotSystemdBoot", "systemd-boot",
         [](Laptop& l) { fs::remove(VariablePath(l.root, "LoaderInfo", kLoaderVendor)); },
         "LoaderInfo is \"\": this machine was not booted by systemd-boot"},
        {"NoOneShot", "systemd-boot",
         [](Laptop& l) {
           WriteText(VariablePath(l.root, "LoaderFeatures", kLoaderVendor), VariableFile("\x07"));
         },
         "can not start an entry once"},
        {"NoOtherEntry", "systemd-boot",
         [](Laptop& l) { fs::remove(l.root + kEntries + "/4f1c-6.1.0-13-amd64.conf"); },
         "ours would be the default"},
        {"VariablesReadOnly", "systemd-boot",
         [](Laptop& l) { l.Replace("/proc/self/mountinfo", "efivars rw", "efivars ro"); },
         "efivars: not there or read-only"},
        {"EspNotMounted", "systemd-boot",
         [](Laptop& l) { l.Replace("/proc/self/mountinfo", "/ /boot ", "/ /mnt "); },
         "want the ESP or XBOOTLDR partition"},
        {"SomebodysEntry", "systemd-boot",
         [](Laptop& l) {
           WriteText(VariablePath(l.root, "LoaderEntryOneShot", kLoaderVendor),
                     VariableFile(ToUtf16("auto-windows")));
         },
         "LoaderEntryOneShot is \"auto-windows\""},
        {"KexecDisabled", "kexec",
         [](Laptop& l) { WriteFile(l, "/proc/sys/kernel/kexec_load_disabled", "1\n"); },
         "kexec_load_disabled: is 1"},
        {"LockedDown", "kexec",
         [](Laptop& l) {
           WriteFile(l, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
         },
         "lockdown: is none [integrity]"},
        {"KexecSecureBoot", "kexec", SecureBoot, "Secure Boot is on"},
        {"NoKexecTools", "kexec", [](Laptop& l) { fs::remove(l.root + "/usr/sbin/kexec"); },
         "want the package kexec-tools"},
        {"SomebodysKernel", "kexec",
         [](Laptop& l) { WriteFile(l, "/sys/kernel/kexec_loaded", "1\n"); },
         "somebody else has loaded a kernel"},
        {"InATestKernel", "grub", [](Laptop& l) { l.host->command_line += " shakedown.boot=who"; },
         "a test kernel runs (shakedown.boot=who)"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ClockTest, SetBackAYearIsRefused) {
  Laptop laptop("grub");
  ASSERT_TRUE(laptop.Boot().Install(laptop.order, laptop.files).ok());
  ASSERT_TRUE(laptop.boot->Restore().ok());
  laptop.host->now -= absl::Hours(23);
  EXPECT_EQ(laptop.Boot().Problem(), "");
  laptop.host->now -= absl::Hours(24 * 365);
  EXPECT_THAT(laptop.Boot().Problem(), HasSubstr("clock: it is 2026-01-"));
}

struct OrderCase {
  std::string name;
  std::function<void(Laptop&)> change;
  absl::StatusCode code;
  std::string want;
};

class OrderTest : public testing::TestWithParam<OrderCase> {};

TEST_P(OrderTest, IsRefusedAndNothingIsLeft) {
  Laptop laptop("grub");
  GetParam().change(laptop);
  const auto before = Snapshot(laptop.root);
  BootTransaction& boot = laptop.Boot();
  EXPECT_EQ(boot.Problem(), "");
  const absl::Status status = boot.Install(laptop.order, laptop.files);
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(status.message(), HasSubstr(GetParam().want));
  EXPECT_EQ(Snapshot(laptop.root), before);
  EXPECT_EQ(boot.Where().stage, v1::BOOT_STAGE_NONE);
}

void Modules(Laptop& laptop, const std::vector<fakes::TarItem>& items) {
  fakes::WriteTar(laptop.files.modules, items, "zstd");
  const std::string text = ReadText(laptop.files.modules);
  laptop.order.mutable_modules()->set_size(text.size());
  laptop.order.mutable_modules()->set_sha256(Sha256Hex(text));
}

constexpr auto kOrder = absl::StatusCode::kInvalidArgument;
constexpr auto kMachine = absl::StatusCode::kFailedPrecondition;
constexpr auto kLoss = absl::StatusCode::kDataLoss;

INSTANTIATE_TEST_SUITE_P(
    , OrderTest,
    testing::ValuesIn<OrderCase>({
        {"Attempt", [](Laptop& l) { l.order.set_attempt_id("../x"); }, kOrder, "attempt_id"},
        {"Release", [](Laptop& l) { l.order.mutable_expected()->set_release("../../etc"); }, kOrder,
         "expected.release"},
        {"DotRelease", [](Laptop& l) { l.order.mutable_expected()->set_release(".."); }, kOrder,
         "expected.release"},
        {"NoImage",
         [](Laptop& l) {
           l.order.clear_image();
           l.files.image.clear();
         },
         kOrder, "image: none"},
        {"NoModulesFile", [](Laptop& l) { l.files.modules.clear(); }, kOrder, "there is no file"},
        {"Inputs", [](Laptop& l) { l.files.inputs.clear(); }, kOrder, "0 input files"},
        {"Parameter", [](Laptop& l) { l.order.add_boot_parameters("init=/bin/sh"); }, kOrder,
         "boot parameter \"init=/bin/sh\""},
        {"ImageDigest", [](Laptop& l) { WriteText(l.files.image, "kernel 6.12.0-sx"); }, kLoss,
         "another SHA-256 than the order says"},
        {"ImageSize", [](Laptop& l) { WriteText(l.files.image, "kernel"); }, kLoss, "6 bytes"},
        {"ImageGrows", [](Laptop& l) { WriteText(l.files.image, std::string(999, 'k')); }, kLoss,
         "more than "},
        {"ImageIsALink",
         [](Laptop& l) {
           fs::rename(l.files.image, l.files.image + "2");
           fs::create_symlink(l.files.image + "2", l.files.image);
         },
         kOrder, "is a link"},
        {"ImageIsAFolder",
         [](Laptop& l) {
           fs::remove(l.files.image);
           fs::create_directory(l.files.image);
         },
         kOrder, "want a regular file"},
        {"TheDistributionsRelease",
         [](Laptop& l) { l.order.mutable_expected()->set_release(kSafeRelease); }, kMachine,
         "/lib/modules/6.1.0-13-amd64: there is a kernel of that release"},
        {"OnlyItsConfigIsLeft",
         [](Laptop& l) { WriteText(l.root + "/boot/config-6.12.0-sd", "x"); }, kMachine,
         "/boot/config-6.12.0-sd: there is"},
        {"ModulesOfAnother",
         [](Laptop& l) {
           Modules(l, {{'5', "lib"}, {'5', "lib/modules"}, {'5', "lib/modules/x"}});
         },
         kOrder, "want all below lib/modules/6.12.0-sd"},
        {"ModulesLeave",
         [](Laptop& l) {
           Modules(l, {{'0', "lib/modules/6.12.0-sd/../../../etc/x", "x"}});
         },
         kOrder, ""},
        {"ModulesLink",
         [](Laptop& l) {
           Modules(l, {{'5', "lib"},
                       {'5', "lib/modules"},
                       {'5', "lib/modules/6.12.0-sd"},
                       {'2', "lib/modules/6.12.0-sd/build", "../x"}});
         },
         kOrder, "a link, want files and folders"},
        {"MkinitramfsFails",
         [](Laptop& l) { l.host->mkinitramfs = absl::InternalError("E: no space\nmore"); },
         kMachine, "initramfs: E: no space more"},
        {"NoInitramfsTool", [](Laptop& l) { fs::remove(l.root + "/usr/sbin/mkinitramfs"); },
         kMachine, "want initramfs-tools or dracut"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace shakedown::laptop
