// Real kernels through the real slot: minutes, Debian's archive, a compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/build/build_slot.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

class KernelBuildTest : public testing::Test {
 protected:
  KernelBuildTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/kernelXXXXXX");
    folder_ = mkdtemp(pattern.data());
  }
  ~KernelBuildTest() override { std::filesystem::remove_all(folder_); }

  // A slot of its own folder and compiler cache: nothing is shared with another slot of this test.
  // Only the slot "one" may find a warm cache, so that what came out of a cache is held against
  // what did not.
  BuildOutcome Run(const std::string& slot_name, const v1::Kernel& kernel) {
    BuildSlotOptions options;
    options.folder = absl::StrCat(folder_, "/", slot_name);
    const char* warm = std::getenv("SHAKEDOWN_TEST_CCACHE");
    options.ccache = slot_name == "one" && warm != nullptr
                         ? std::string(warm)
                         : absl::StrCat(folder_, "/", slot_name, "-ccache");
    options.runner_path = "/bin/true";
    std::unique_ptr<BuildSlot> slot = MakeBuildSlot(options);
    EXPECT_TRUE(slot->CleanUp().ok());
    v1::BuildOrder order;
    order.set_build_id(slot_name);
    order.set_limit_s(1800);
    absl::StatusOr<v1::ResolvedKernel> resolved =
        kernels::Resolve(kernel, [](const std::string&) { return std::string(); });
    EXPECT_TRUE(resolved.ok()) << resolved.status();
    if (resolved.ok()) *order.mutable_kernel() = *resolved;
    BuildHooks hooks;
    hooks.log = [this](absl::string_view bytes) { absl::StrAppend(&log_, bytes); };
    return slot->Run(order, hooks);
  }

  std::string folder_, log_;
};

// The least that has every path in it: built-in and modular drivers.
v1::Kernel SmallKernel() {
  v1::Kernel kernel;
  kernel.set_name("small");
  kernel.mutable_debian_source()->set_package("linux-source-6.12");
  kernel.mutable_config()->set_base(v1::KernelConfig::BASE_ALLNOCONFIG);
  for (const char* option :
       {"64BIT=y", "KERNEL_GZIP=y", "MODULES=y", "PRINTK=y", "BLOCK=y", "TTY=y", "PCI=y",
        "BLK_DEV=y", "BLK_DEV_INITRD=y", "VIRTIO_MENU=y", "VIRTIO_PCI=y", "VIRTIO_BLK=m",
        "VIRTIO_CONSOLE=m", "EXT4_FS=m", "BINFMT_ELF=y"}) {
    kernel.mutable_config()->add_options(option);
  }
  return kernel;
}

TEST_F(KernelBuildTest, TwoBuildsGiveTheSameBytes) {
  const BuildOutcome first = Run("one", SmallKernel());
  ASSERT_EQ(first.result.status(), v1::BuildResult::STATUS_BUILT) << first.result.error();
  EXPECT_THAT(first.result.expected().release(),
              testing::EndsWith("-" + first.result.build_key().substr(0, 12)));
  EXPECT_THAT(first.result.source_version(), HasSubstr("linux-source-6.12 6.12."));
  absl::StatusOr<std::string> initramfs = ReadFile(first.initramfs_path);
  ASSERT_TRUE(initramfs.ok()) << initramfs.status() << log_.substr(log_.size() - 2000);
  EXPECT_TRUE(absl::StrContains(*initramfs, "modules/ext4.ko"));
  const BuildOutcome second = Run("another-place", SmallKernel());
  ASSERT_EQ(second.result.status(), v1::BuildResult::STATUS_BUILT) << second.result.error();
  EXPECT_FALSE(second.result.reused());
  EXPECT_EQ(second.result.build_key(), first.result.build_key());
  EXPECT_EQ(second.result.image().sha256(), first.result.image().sha256());
  EXPECT_EQ(second.result.initramfs().sha256(), first.result.initramfs().sha256());
  EXPECT_EQ(second.result.expected().build_id(), first.result.expected().build_id());
}

TEST_F(KernelBuildTest, ALostOptionOfARealKernelIsNamed) {
  v1::Kernel kernel = SmallKernel();
  kernel.mutable_config()->add_options("SQUASHFS=y");
  const BuildOutcome built = Run("lost", kernel);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("option SQUASHFS (kernel small): wanted y, got no "));
}

TEST_F(KernelBuildTest, AReadyImageHasAnInitramfsWithWhatTheGuestNeeds) {
  v1::Kernel kernel;
  kernel.set_name("cloud");
  kernel.mutable_debian_image()->set_package("linux-image-6.12-cloud-amd64");
  const BuildOutcome taken = Run("ready", kernel);
  ASSERT_EQ(taken.result.status(), v1::BuildResult::STATUS_BUILT) << taken.result.error();
  EXPECT_THAT(taken.result.expected().release(), HasSubstr("-cloud-amd64"));
  EXPECT_THAT(taken.result.expected().version(), HasSubstr("Debian 6.12."));
  absl::StatusOr<std::string> initramfs = ReadFile(taken.initramfs_path);
  ASSERT_TRUE(initramfs.ok()) << initramfs.status();
  EXPECT_TRUE(absl::StrContains(*initramfs, "modules/virtio_blk.ko"));
  EXPECT_TRUE(Run("ready", kernel).result.reused());
}

TEST_F(KernelBuildTest, APackageThatDoesNotExistIsNamed) {
  v1::Kernel kernel = SmallKernel();
  kernel.mutable_debian_source()->set_package("linux-source-1.2");
  const BuildOutcome built = Run("none", kernel);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("package linux-source-1.2: apt on this host has no"));
}

}  // namespace
}  // namespace shakedown::agent
