#include "agent/runner/loads/prepare_build.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "agent/runner/loads/caches.h"
#include "agent/runner/loads/compilers.h"
#include "agent/runner/loads/make.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LostOptionsTest, Table) {
  const std::string made = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_S=\"x\"\nCONFIG_N=300\n";
  EXPECT_THAT(LostOptions(made, made), ElementsAre());
  EXPECT_THAT(LostOptions("CONFIG_B=n\n# CONFIG_C is not set\n", made), ElementsAre());
  EXPECT_THAT(LostOptions("CONFIG_B=y\nCONFIG_C=m\nCONFIG_N=1000\n# CONFIG_A is not set\n"
                          "# a comment\nnonsense\n",
                          made),
              ElementsAre("CONFIG_A off: y", "CONFIG_B=y: not set", "CONFIG_C=m: not set",
                          "CONFIG_N=1000: 300"));
}

TEST(JobsForTest, Table) {
  const auto jobs = [](uint32_t jobs, double per_cpu, uint32_t cpus) {
    v1::MakeLoad load;
    load.set_jobs(jobs);
    load.set_jobs_per_cpu(per_cpu);
    return JobsFor(load, cpus);
  };
  EXPECT_EQ(jobs(4, 0, 8).value(), 4u);
  EXPECT_EQ(jobs(0, 0, 8).value(), 16u);
  EXPECT_EQ(jobs(0, 1.5, 3).value(), 5u);  // Rounded up.
  EXPECT_EQ(jobs(0, 0.1, 2).value(), 1u);
  for (const auto& bad : {jobs(1, 2, 2), jobs(0, -1, 2), jobs(0, 65, 2), jobs(1025, 0, 2)}) {
    EXPECT_EQ(bad.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

class CompilersTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/compilers_test.XXXXXX";
    folder_ = mkdtemp(folder);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Program(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    chmod((folder_ + "/" + name).c_str(), 0755);
  }
  std::string folder_;
};

TEST_F(CompilersTest, DisguisesAreSeen) {
  EXPECT_TRUE(CheckCompilers(folder_).ok());
  Program("gcc", "ELF");
  EXPECT_TRUE(CheckCompilers(folder_).ok());
  Program("ccache", "ELF");
  fs::create_symlink("ccache", folder_ + "/cc");
  const absl::Status link = CheckCompilers("/nonexistent:" + folder_);
  EXPECT_EQ(link.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(link.message()), HasSubstr("/cc is ccache"));
  fs::remove(folder_ + "/cc");
  Program("gcc", "#!/bin/sh\nexec distcc gcc-12 \"$@\"\n");
  EXPECT_THAT(std::string(CheckCompilers(folder_).message()), HasSubstr("/gcc is distcc"));
}

TEST(CachesTest, WritesThreeAfterSyncing) {
  char file[] = "/tmp/caches_test.XXXXXX";
  close(mkstemp(file));
  EXPECT_TRUE(DropCaches(file).ok());
  EXPECT_EQ(ReadFile(file).value(), "3\n");
  unlink(file);
  EXPECT_EQ(DropCaches(file).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(CheckOnDisk("/dev/shm").code(), absl::StatusCode::kFailedPrecondition);
}

TEST(CachesTest, ADropperDoesItForOthers) {
  char file[] = "/tmp/caches_test.XXXXXX";
  close(mkstemp(file));
  Descriptor dropper = StartCacheDropper(file).value();
  EXPECT_TRUE(DropCachesBy(dropper).ok());
  EXPECT_EQ(ReadFile(file).value(), "3\n");
  unlink(file);
  const absl::Status refused = DropCachesBy(dropper);
  EXPECT_TRUE(absl::StrContains(refused.message(), "No such file")) << refused;
  dropper.Close();
  int status = 0;
  ASSERT_GT(waitpid(-1, &status, 0), 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A "kernel tree" whose configuration is made by shell.
class PrepareBuildTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/prepare_build_test.XXXXXX";
    root_ = mkdtemp(folder);
    context_.scratch = root_ + "/scratch";
    context_.inputs = root_ + "/inputs";
    context_.tree = root_ + "/own";
    for (const std::string& path :
         {context_.scratch, context_.inputs + "/linux/linux-1/scripts/kconfig",
          context_.inputs + "/linux/lost+found", context_.tree}) {
      fs::create_directories(path);
    }
    source_ = context_.inputs + "/linux/linux-1";
    Put(source_ + "/Makefile",
        "ifneq ($(O),)\n"
        "%config:\n\techo 'include '$(CURDIR)/Makefile > $(O)/Makefile\n"
        "\tif [ ! -f $(O)/.config ]; then echo CONFIG_MADE_BY=\\\"$@\\\" > $(O)/.config; "
        "else sed -i '/LOST/d' $(O)/.config; fi\n"
        "else\n"
        "all: a.o\n"
        "prepare:\n\techo prepared >> prepared\n"
        "a.o: .config\n\techo x > a.o; sleep 0.03\n"
        "lib/: .config\n\tmkdir -p lib; echo x > lib/b.o; sleep 0.03\n"
        ".PHONY: lib/\n"
        "clean:\n\trm -f a.o\n"
        "endif\n");
    Put(source_ + "/Kbuild", "");
    Put(source_ + "/Kconfig", "");
    Put(context_.tree + "/Makefile",
        "%.o:\n\tcp .config $@; sleep 0.03\n%config:\n\techo CONFIG_X=$@ > .config\n");
    Put(context_.tree + "/.config", "CONFIG_OLD=y\n");
    Put(context_.tree + "/.shakedown-targets", "b.o\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  static void Put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  std::string root_, source_;
  LoadContext context_{SystemClock(), "", "", false, [](double, absl::string_view) {}};
  v1::LoadRun run_;
};

TEST_F(PrepareBuildTest, TheOwnTreeAsItStands) {
  const BuildPlan plan = PrepareBuild({}, context_, run_).value();
  EXPECT_EQ(plan.tree, context_.tree);
  EXPECT_THAT(plan.targets, ElementsAre("b.o"));
}

TEST_F(PrepareBuildTest, AConfigurationOfTheOwnTreeIsMadeInACopy) {
  v1::MakeLoad make;
  make.set_config_target("tinyconfig");
  const BuildPlan plan = PrepareBuild(make, context_, run_).value();
  EXPECT_TRUE(absl::StartsWith(plan.tree, context_.scratch + "/"));
  EXPECT_EQ(ReadFile(plan.tree + "/.config").value(), "CONFIG_X=tinyconfig\n");
  EXPECT_EQ(ReadFile(context_.tree + "/.config").value(), "CONFIG_OLD=y\n");
  EXPECT_THAT(plan.targets, ElementsAre("b.o"));
}

TEST_F(PrepareBuildTest, ACleanKernelTreeIsBuiltOutOfPlaceAndNotTouched) {
  v1::Load load;
  load.mutable_make()->set_tree("linux");
  load.mutable_make()->set_config_target("allnoconfig");
  load.mutable_make()->add_targets("a.o");
  load.mutable_make()->add_targets("lib/");
  load.set_iterations(2);
  const absl::StatusOr<v1::LoadRun> run = RunMakeLoad(load, context_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_FALSE(fs::exists(source_ + "/a.o"));
  EXPECT_FALSE(fs::exists(source_ + "/.config"));
  int objects = 0;
  for (const v1::Measurement& m : run->measurements()) {
    objects += m.metric() == "make.objects" && m.value() == 2;
  }
  EXPECT_EQ(objects, 2);
}

TEST_F(PrepareBuildTest, LostOptionsAreSaidLoudly) {
  v1::MakeLoad make;
  make.set_tree("linux");
  make.set_config("CONFIG_KEPT=y\nCONFIG_LOST=y\n");
  const absl::StatusOr<BuildPlan> plan = PrepareBuild(make, context_, run_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(ReadFile(plan->tree + "/.config").value(), "CONFIG_KEPT=y\n");
  EXPECT_EQ(ReadFile(plan->tree + "/prepared").value(), "prepared\n");
  ASSERT_EQ(run_.warnings_size(), 1);
  EXPECT_THAT(run_.warnings(0), HasSubstr("LOST in this tree: CONFIG_LOST=y: not set"));
}

TEST_F(PrepareBuildTest, WhatIsWrongIsSaid) {
  const auto code = [&](const char* tree, const char* target, const std::string& config) {
    v1::MakeLoad make;
    make.set_tree(tree);
    make.set_config_target(target);
    make.set_config(config);
    return PrepareBuild(make, context_, run_).status().code();
  };
  EXPECT_EQ(code("absent", "", ""), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code("../own", "", ""), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("linux", "", ""), absl::StatusCode::kInvalidArgument);  // No .config anywhere.
  EXPECT_EQ(code("", "clean", ""), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("", "defconfig", "CONFIG_A=y"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("", "", std::string((1 << 20) + 1, '#')), absl::StatusCode::kInvalidArgument);
}

TEST(BuildsInPlaceTest, OnlyThoseInTheOwnTree) {
  v1::Load load;
  load.mutable_make();
  EXPECT_EQ(BuildsInPlace(load).size(), 1u);
  load.mutable_make()->set_tree("linux");
  EXPECT_TRUE(BuildsInPlace(load).empty());
  load.mutable_latt();
  EXPECT_EQ(BuildsInPlace(load).size(), 1u);
  load.mutable_latt()->add_command("true");
  EXPECT_TRUE(BuildsInPlace(load).empty());
  load.mutable_frames()->mutable_beside()->mutable_make();
  EXPECT_EQ(BuildsInPlace(load).size(), 1u);
}

}  // namespace
}  // namespace shakedown::runner
