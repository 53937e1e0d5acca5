#include "controller/history/kernel_key.h"

#include <gtest/gtest.h>

#include "controller/plan/text.h"

namespace shakedown::history {
namespace {

constexpr char kKey[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

struct VersionCase {
  std::string name, source_version, release;
  enum Source { kDebian, kImage, kGit, kTree, kTarball } source;
  std::string want;
};
class VersionOfTest : public testing::TestWithParam<VersionCase> {};
TEST_P(VersionOfTest, IsTheOrderKey) {
  const VersionCase& c = GetParam();
  BuiltKernel built;
  built.source_version = c.source_version;
  built.release = c.release;
  built.build_key = kKey;
  if (c.source == VersionCase::kDebian) built.kernel.mutable_debian_source();
  if (c.source == VersionCase::kImage) built.kernel.mutable_debian_image();
  if (c.source == VersionCase::kTree) built.kernel.mutable_local_tree();
  if (c.source == VersionCase::kTarball) built.kernel.mutable_tarball();
  if (c.source == VersionCase::kGit) {
    built.kernel.mutable_git()->set_commit("abcdef0123456789abcdef0123456789abcdef01");
  }
  EXPECT_EQ(VersionOf(built), c.want);
}
INSTANTIATE_TEST_SUITE_P(
    , VersionOfTest,
    testing::ValuesIn<VersionCase>({
        {"Debian", "linux-source-6.12 6.12.117-1~deb12u1 sha256:00ff.1", "6.12.117-0123456789ab",
         VersionCase::kDebian, "6.12.117-1~deb12u1"},
        {"DebianWithoutVersion", "scripted source", "6.12.117-0123456789ab", VersionCase::kDebian,
         "6.12.117"},
        {"Image", "linux-image-6.1.0-37-cloud-amd64 6.1.140-1", "6.1.0-37-cloud-amd64",
         VersionCase::kImage, "6.1.140-1"},
        {"Git", "git", "6.12.0-rc3-0123456789ab", VersionCase::kGit, "6.12.0-rc3-gabcdef012345"},
        {"GitDescribed", "git", "6.12.0-rc3-00123-gabcdef012345-0123456789ab", VersionCase::kGit,
         "6.12.0-rc3-00123-gabcdef012345"},
        {"LocalTree", "tree", "6.12.0-0123456789ab", VersionCase::kTree, "6.12.0+0123456789ab"},
        {"Tarball", "", "2.6.35-ck1", VersionCase::kTarball, "2.6.35-ck1"},
        {"Nothing", "", "", VersionCase::kTarball, ""},
    }),
    [](const auto& test) { return test.param.name; });

struct ClassCase {
  std::string variant, want;
};
class ClassOfTest : public testing::TestWithParam<ClassCase> {};
TEST_P(ClassOfTest, IsTheRestOfTheName) {
  EXPECT_EQ(ClassOf(plan::ParseVariant(GetParam().variant).value()), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(, ClassOfTest,
                         testing::ValuesIn<ClassCase>({
                             {"debian-6.12", "debian"},
                             {"debian-6.12-hz1000", "debian-hz1000"},
                             {"debian-6.12-hz1000 nohz=off", "debian-hz1000 nohz=off"},
                             {"debian-6.1 kernel.sched_autogroup_enabled=0",
                              "debian kernel.sched_autogroup_enabled=0"},
                             {"2.6.35-ck1", "ck1"},
                             {"2.6.35", "-"},
                             {"2.6.21-rc7-cfs-v6", "cfs-v6"},
                             {"6.12-mine", "mine"},
                             {"mine", "mine"},
                             {"v2x6.1y", "v2x6.1y"},
                         }));

TEST(ClassOfControlTest, AControlIsTheKernelItself) {
  v1::Variant variant = plan::ParseVariant("debian-6.12").value();
  variant.set_control(true);
  EXPECT_EQ(ClassOf(variant), "debian");
}

TEST(VersionInNameTest, FromTheVersionOn) {
  EXPECT_EQ(VersionInName("debian-6.12-hz1000"), "6.12-hz1000");
  EXPECT_EQ(VersionInName("2.6.21-rc7-cfs-v6"), "2.6.21-rc7-cfs-v6");
  EXPECT_EQ(VersionInName("mine"), "mine");
  EXPECT_EQ(VersionInName("v2x6.1y"), "v2x6.1y");
  EXPECT_EQ(VersionInName(""), "");
}

TEST(MatchesTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(Matches("debian-*", "debian-6.12"));
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("d?bian-6.1*-hz*", "debian-6.12-hz1000"));
  EXPECT_FALSE(Matches("debian-?", "debian-6.12"));
  EXPECT_FALSE(Matches("", "x"));
  EXPECT_FALSE(Matches("a*b", "ac"));
  // Linear, whatever the pattern.
  EXPECT_FALSE(Matches(std::string(100, '*') + "b", std::string(100000, 'a')));
}

}  // namespace
}  // namespace shakedown::history
