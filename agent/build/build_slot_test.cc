#include "agent/build/build_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A source tree that behaves like a kernel's where the recipe looks, and builds in a second: its
// Makefile is what is tried out, hostile or wrong, in the real sandbox.
constexpr char kMakefile[] = R"(
release := 9.9.9$(LOCALVERSION)
allnoconfig:
	cp $(KCONFIG_ALLCONFIG) .config
	if test -f drop; then grep -v -f drop .config > .config.new; mv .config.new .config; fi
defconfig olddefconfig mrproper:
	touch .config
bzImage: main.c
	@echo "  CC      main.o"
	$(CC) -Wl,--build-id=sha1 -o vmlinux main.c
	objcopy --rename-section .note.gnu.build-id=.notes vmlinux
	mkdir -p include/config arch/x86/boot
	echo $(release) > include/config/kernel.release
	sh image.sh "$(release) (shakedown@shakedown) #1 SMP" > arch/x86/boot/bzImage
	@sh extra.sh
modules:
	@true
modules_install:
	mkdir -p $(INSTALL_MOD_PATH)/lib/modules/$(release)/kernel
	echo ELF > $(INSTALL_MOD_PATH)/lib/modules/$(release)/kernel/x.ko
	echo kernel/x.ko: > $(INSTALL_MOD_PATH)/lib/modules/$(release)/modules.dep
	ln -s /build/linux $(INSTALL_MOD_PATH)/lib/modules/$(release)/build
	@sh modules.sh $(INSTALL_MOD_PATH)/lib/modules/$(release)
)";

// A bzImage header with the version at 0x400.
constexpr char kImageScript[] = R"(
head -c 514 /dev/zero; printf 'HdrS'; head -c 8 /dev/zero; printf '\000\002'
head -c 496 /dev/zero; printf '%s' "$1"; head -c 8192 /dev/zero
)";

class BuildSlotTest : public testing::Test {
 protected:
  BuildSlotTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/slotXXXXXX");
    folder_ = mkdtemp(pattern.data());
    Write("tree/Makefile", kMakefile);
    Write("tree/image.sh", kImageScript);
    Write("tree/main.c", "int main(void) { return 0; }\n");
    Write("tree/extra.sh", "true\n");
    Write("tree/modules.sh", "true\n");
    Restart();
  }
  ~BuildSlotTest() override { std::filesystem::remove_all(folder_); }

  void Restart() {
    BuildSlotOptions options;
    options.folder = folder_ + "/slot";
    options.ccache = folder_ + "/ccache";
    options.runner_path = "/bin/true";
    options.jobs = 1;
    slot_ = MakeBuildSlot(options);
    ASSERT_TRUE(slot_->CleanUp().ok());
  }

  void Write(const std::string& path, const std::string& content) {
    const std::string file = absl::StrCat(folder_, "/", path);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    ASSERT_TRUE(WriteFileAtomically(file, content).ok());
  }

  v1::Kernel TarKernel() {
    Command command;
    command.argv = {"tar",
                    "--create",
                    "--gzip",
                    "--file=" + folder_ + "/source.tar.gz",
                    "--directory=" + folder_,
                    "tree"};
    EXPECT_TRUE(RunForOutput(command).ok());
    v1::Kernel kernel;
    kernel.set_name("k");
    kernel.mutable_tarball()->set_location(folder_ + "/source.tar.gz");
    kernel.mutable_tarball()->set_sha256(*Sha256File(folder_ + "/source.tar.gz"));
    kernel.mutable_config()->set_base(v1::KernelConfig::BASE_ALLNOCONFIG);
    kernel.mutable_config()->add_options("A=y");
    return kernel;
  }

  v1::BuildOrder Order(const v1::Kernel& kernel) {
    v1::BuildOrder order;
    order.set_build_id("b");
    order.set_epoch(7);
    order.set_limit_s(60);
    absl::StatusOr<v1::ResolvedKernel> resolved =
        kernels::Resolve(kernel, [](const std::string&) { return std::string(); });
    EXPECT_TRUE(resolved.ok()) << resolved.status();
    if (resolved.ok()) *order.mutable_kernel() = *resolved;
    return order;
  }

  BuildOutcome Run(const v1::Kernel& kernel) {
    BuildHooks hooks;
    hooks.cancel = &cancel_;
    hooks.log = [this](absl::string_view bytes) {
      absl::StrAppend(&log_, bytes);
      if (!cancel_at_.empty() && absl::StrContains(log_, cancel_at_)) cancel_ = true;
    };
    hooks.fetch_artefact = [this](const std::string& sha256) {
      return absl::StatusOr<std::string>(folder_ + "/artefacts/" + sha256);
    };
    return slot_->Run(Order(kernel), hooks);
  }

  std::string Patch(v1::Kernel& kernel, const std::string& content) {
    const std::string sha256 = Sha256Hex(content);
    Write("artefacts/" + sha256, content);
    v1::Patch* patch = kernel.add_patches();
    patch->set_location("my.patch");
    patch->set_sha256(sha256);
    patch->set_strip(1);
    return sha256;
  }

  std::string folder_, log_, cancel_at_;
  std::atomic<bool> cancel_ = false;
  std::unique_ptr<BuildSlot> slot_;
};

constexpr char kGoodPatch[] =
    "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-int main(void) { return 0; }\n+int main(void) { "
    "return "
    "1; }\n";

TEST_F(BuildSlotTest, BuildsAndGivesIdentityAndDigests) {
  const BuildOutcome built = Run(TarKernel());
  ASSERT_EQ(built.result.status(), v1::BuildResult::STATUS_BUILT) << built.result.error() << log_;
  EXPECT_EQ(built.result.build_id(), "b");
  EXPECT_EQ(built.result.epoch(), 7);
  EXPECT_EQ(built.result.expected().release(), "9.9.9-" + built.result.build_key().substr(0, 12));
  EXPECT_EQ(built.result.expected().build_id().size(), 40u);
  EXPECT_EQ(*Sha256File(built.image_path), built.result.image().sha256());
  EXPECT_EQ(*ReadFile(built.config_path), "CONFIG_A=y\n");
  EXPECT_FALSE(built.result.has_initramfs());
  EXPECT_THAT(built.result.toolchain(), HasSubstr("GNU ld"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/slot/work"));
}

TEST_F(BuildSlotTest, ModulesAreAnArtefact) {
  v1::Kernel kernel = TarKernel();
  kernel.mutable_config()->add_options("X=m");
  const BuildOutcome built = Run(kernel);
  ASSERT_EQ(built.result.status(), v1::BuildResult::STATUS_BUILT) << built.result.error() << log_;
  EXPECT_FALSE(built.result.has_initramfs()) << "a guest's drivers are not among them";
  ASSERT_TRUE(built.result.has_modules());
  EXPECT_EQ(*Sha256File(built.modules_path), built.result.modules().sha256());
  EXPECT_EQ(std::filesystem::file_size(built.modules_path), built.result.modules().size());
  Command list;
  list.argv = {"tar", "--zstd", "--list", "--file=" + built.modules_path};
  const std::string top = "lib/modules/" + built.result.expected().release() + "/";
  EXPECT_EQ(*RunForOutput(list), "lib/\nlib/modules/\n" + top + "\n" + top + "kernel/\n" + top +
                                     "kernel/x.ko\n" + top + "modules.dep\n");
  Restart();
  const BuildOutcome again = Run(kernel);
  EXPECT_TRUE(again.result.reused());
  EXPECT_EQ(again.result.modules().sha256(), built.result.modules().sha256());
  EXPECT_EQ(again.modules_path, built.modules_path);
  ASSERT_TRUE(WriteFileAtomically(again.modules_path, "damaged").ok());
  EXPECT_FALSE(Run(kernel).result.reused());
}

TEST_F(BuildSlotTest, ModulesThatAreNoFilesFailTheBuild) {
  v1::Kernel kernel = TarKernel();
  kernel.mutable_config()->add_options("X=m");
  Write("tree/modules.sh", "ln -s /etc/shadow $1/kernel/y.ko\n");
  kernel.mutable_tarball()->set_sha256(TarKernel().tarball().sha256());
  const BuildOutcome built = Run(kernel);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED) << log_;
  EXPECT_THAT(built.result.error(), HasSubstr("y.ko: want a regular file, no link"));
}

TEST_F(BuildSlotTest, TheSameIsNotBuiltTwiceAndHasTheSameBytes) {
  const BuildOutcome first = Run(TarKernel());
  log_.clear();
  Restart();
  const BuildOutcome second = Run(TarKernel());
  EXPECT_TRUE(second.result.reused());
  EXPECT_THAT(log_, testing::Not(HasSubstr("compile")));
  EXPECT_EQ(second.result.image().sha256(), first.result.image().sha256());
  std::filesystem::remove_all(folder_ + "/slot/done");
  Restart();
  const BuildOutcome third = Run(TarKernel());
  EXPECT_FALSE(third.result.reused());
  EXPECT_EQ(third.result.image().sha256(), first.result.image().sha256());
  EXPECT_EQ(third.result.build_key(), first.result.build_key());
}

TEST_F(BuildSlotTest, ADamagedArtefactIsBuiltAgain) {
  const BuildOutcome first = Run(TarKernel());
  std::filesystem::resize_file(first.image_path, 100);
  const BuildOutcome second = Run(TarKernel());
  EXPECT_EQ(second.result.status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_FALSE(second.result.reused());
  EXPECT_EQ(*Sha256File(second.image_path), first.result.image().sha256());
}

TEST_F(BuildSlotTest, AStrictUmaskIsNoHindrance) {
  v1::Kernel kernel = TarKernel();
  Patch(kernel, kGoodPatch);
  const mode_t before = umask(077);
  const BuildOutcome built = Run(kernel);
  umask(before);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_BUILT) << built.result.error();
}

TEST_F(BuildSlotTest, APatchChangesTheKey) {
  const BuildOutcome plain = Run(TarKernel());
  v1::Kernel kernel = TarKernel();
  Patch(kernel, kGoodPatch);
  const BuildOutcome patched = Run(kernel);
  ASSERT_EQ(patched.result.status(), v1::BuildResult::STATUS_BUILT) << patched.result.error();
  EXPECT_NE(patched.result.build_key(), plain.result.build_key());
  EXPECT_NE(patched.result.expected().build_id(), plain.result.expected().build_id());
}

TEST_F(BuildSlotTest, APatchThatDoesNotApplyIsTheKernelsFault) {
  v1::Kernel kernel = TarKernel();
  Patch(kernel, "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-something else\n+new\n");
  const BuildOutcome built = Run(kernel);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("patch 1 (my.patch): exit code 1"));
  EXPECT_THAT(built.result.error(), HasSubstr("FAILED at 1"));
  EXPECT_THAT(log_, HasSubstr("patching file main.c"));
}

TEST_F(BuildSlotTest, APatchCanNotLeaveTheTree) {
  v1::Kernel kernel = TarKernel();
  Patch(kernel, "--- a/../../../usr/x\n+++ b/../../../usr/x\n@@ -0,0 +1 @@\n+new\n");
  EXPECT_EQ(Run(kernel).result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_FALSE(std::filesystem::exists("/usr/x"));
}

TEST_F(BuildSlotTest, ACompileErrorIsShown) {
  Write("tree/main.c", "int main(void) { retrun 0; }\n");
  const BuildOutcome built = Run(TarKernel());
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("main.c:1:18: error: 'retrun' undeclared"));
  EXPECT_EQ(built.image_path, "");
}

TEST_F(BuildSlotTest, ALostOptionIsNamed) {
  v1::Kernel kernel = TarKernel();
  kernel.mutable_config()->add_options("SQUASHFS=y");
  Write("tree/drop", "SQUASHFS\n");
  kernel.mutable_tarball()->set_sha256(TarKernel().tarball().sha256());
  const BuildOutcome built = Run(kernel);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(),
              StartsWith("option SQUASHFS (kernel k): wanted y, got no such"));
}

TEST_F(BuildSlotTest, AnotherTarballThanTheOneNamedIsRefusedBeforeItIsUnpacked) {
  v1::Kernel kernel = TarKernel();
  kernel.mutable_tarball()->set_sha256(std::string(64, '0'));
  const BuildOutcome built = Run(kernel);
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("sha256 is "));
  EXPECT_THAT(log_, testing::Not(HasSubstr("unpack")));
}

TEST_F(BuildSlotTest, AnAbsentTarballIsTheFarmsFault) {
  v1::Kernel kernel = TarKernel();
  kernel.mutable_tarball()->set_location(folder_ + "/none.tar");
  EXPECT_EQ(Run(kernel).result.status(), v1::BuildResult::STATUS_FARM_FAILED);
}

TEST_F(BuildSlotTest, AFullDiskIsTheFarmsFault) {
  Write("tree/extra.sh", "echo 'cc1: fatal error: x.o: No space left on device'; exit 1\n");
  const BuildOutcome built = Run(TarKernel());
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("No space left on device"));
}

TEST_F(BuildSlotTest, CancelEndsTheBuild) {
  Write("tree/extra.sh", "echo now; setsid sleep 1000 & sleep 1000\n");
  cancel_at_ = "now\n";
  const BuildOutcome built = Run(TarKernel());
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_CANCELLED);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/slot/work"));
}

TEST_F(BuildSlotTest, TheLimitEndsTheBuild) {
  Write("tree/extra.sh", "while true; do :; done\n");
  v1::BuildOrder order = Order(TarKernel());
  order.set_limit_s(3);
  const BuildOutcome built = slot_->Run(order, {});
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("compile: not done within the build's limit of 3 s"));
}

TEST_F(BuildSlotTest, AFloodOfLogIsCut) {
  Write("tree/extra.sh", "head -c 20000000 /dev/zero | tr '\\0' 'x'\n");
  EXPECT_EQ(Run(TarKernel()).result.status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_LT(log_.size(), 9u << 20);
  EXPECT_THAT(log_.substr(log_.size() - 100), HasSubstr("the rest of this log is left out"));
}

TEST_F(BuildSlotTest, WhatIsHandedBackIsNoLink) {
  Write("secret", "the agent's secret");
  Write("tree/extra.sh", "ln -sf " + folder_ +
                             "/secret arch/x86/boot/bzImage\n"
                             "rm -rf /build/out; ln -s " +
                             folder_ + " /build/out\n");
  const BuildOutcome built = Run(TarKernel());
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED) << built.result.error();
  EXPECT_EQ(built.image_path, "");
}

TEST_F(BuildSlotTest, AStrangersBuildWritesACompilerCacheOfItsOwn) {
  const std::string shared = folder_ + "/ccache/debian/object";
  Write("ccache/debian/object", "shared");
  Write("tree/extra.sh", "cat /ccache/object; echo poison > /ccache/object\n");
  ASSERT_EQ(Run(TarKernel()).result.status(), v1::BuildResult::STATUS_BUILT) << log_;
  EXPECT_EQ(*ReadFile(shared), "shared");
  EXPECT_THAT(log_, HasSubstr("shared"));
}

TEST_F(BuildSlotTest, LocalTreesAreDigestedAsTheyAre) {
  v1::Kernel kernel = TarKernel();
  kernel.mutable_local_tree()->set_path(folder_ + "/tree");
  const BuildOutcome first = Run(kernel);
  ASSERT_EQ(first.result.status(), v1::BuildResult::STATUS_BUILT) << first.result.error() << log_;
  const BuildOutcome again = Run(kernel);
  EXPECT_TRUE(again.result.reused());
  EXPECT_EQ(again.result.build_key(), first.result.build_key());
  Write("tree/main.c", "int main(void) { return 2; }\n");
  const BuildOutcome changed = Run(kernel);
  EXPECT_FALSE(changed.result.reused());
  EXPECT_NE(changed.result.build_key(), first.result.build_key());
}

TEST_F(BuildSlotTest, AGitCommitIsTakenOut) {
  const auto git = [this](std::vector<std::string> words) {
    Command command;
    command.argv = {"git", "-C", folder_ + "/tree", "-c", "user.name=t", "-c", "user.email=t@t"};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    absl::StatusOr<std::string> output = RunForOutput(command);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? *output : "";
  };
  git({"init", "--quiet"});
  git({"add", "."});
  git({"commit", "--quiet", "--message", "one"});
  v1::Kernel kernel = TarKernel();
  kernel.mutable_git()->set_location(folder_ + "/tree");
  kernel.mutable_git()->set_commit(git({"rev-parse", "HEAD"}).substr(0, 40));
  Write("tree/main.c", "this is not committed");
  const BuildOutcome built = Run(kernel);
  ASSERT_EQ(built.result.status(), v1::BuildResult::STATUS_BUILT) << built.result.error() << log_;
  kernel.mutable_git()->set_commit(std::string(40, 'a'));
  EXPECT_EQ(Run(kernel).result.status(), v1::BuildResult::STATUS_FAILED);
}

TEST_F(BuildSlotTest, AnOrderThatNoCatalogCanGiveIsRefused) {
  v1::BuildOrder order = Order(TarKernel());
  order.mutable_kernel()->mutable_kernel()->mutable_toolchain()->set_compiler("/tmp/evil");
  const BuildOutcome built = slot_->Run(order, {});
  EXPECT_EQ(built.result.status(), v1::BuildResult::STATUS_FAILED);
  EXPECT_THAT(built.result.error(), HasSubstr("toolchain.compiler"));
}

TEST_F(BuildSlotTest, CleanUpRemovesHalfBuilds) {
  Write("slot/work/build/linux/a.o", "half");
  Write("slot/done/part-1/image", "half");
  Write("slot/sources/part", "half");
  Restart();
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/slot/work"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/slot/done/part-1"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/slot/sources/part"));
}

}  // namespace
}  // namespace shakedown::agent
