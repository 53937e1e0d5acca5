#include "kernels/recipe/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "kernels/recipe/kernel_text.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"

namespace shakedown::kernels {
namespace {

using testing::HasSubstr;

v1::Kernel Entry(const std::string& more) {
  return *ParseKernel(absl::StrCat("name: \"k\" ", more), "k");
}

v1::Kernel Good(const std::string& more = "") {
  return Entry(absl::StrCat(
      "debian_source { package: \"linux-source-6.12\" } config { base: BASE_ALLNOCONFIG fragments: "
      "\"a.config\" fragments: \"b.config\" options: \"C=7\" options: \"B=y\" } ",
      more));
}

v1::Kernel WithFragment(const std::string& name) {
  v1::Kernel kernel = Good();
  kernel.mutable_config()->add_fragments(name);
  return kernel;
}

absl::StatusOr<std::string> Read(const std::string& name) {
  if (name == "a.config") return std::string("CONFIG_A=y\nCONFIG_B=m\n");
  if (name == "b.config") return std::string("# CONFIG_A is not set\n");
  if (name == "base.config") return std::string("CONFIG_BASE=y\n");
  if (name == "bad.config") return std::string("nonsense\n");
  return absl::NotFoundError(absl::StrCat("no ", name));
}

TEST(ResolveTest, HoldsContentsInPlaceOfNames) {
  absl::StatusOr<v1::ResolvedKernel> resolved = Resolve(Good(), Read);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  ASSERT_EQ(resolved->fragments_size(), 2);
  EXPECT_EQ(resolved->fragments(1).content(), "# CONFIG_A is not set\n");
  EXPECT_EQ(resolved->recipe_version(), kRecipeVersion);
  EXPECT_TRUE(CheckResolved(*resolved).ok());
  absl::StatusOr<std::vector<Wish>> wishes = Wishes(*resolved);
  ASSERT_TRUE(wishes.ok());
  EXPECT_EQ(PrintWishes(*wishes), "# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_C=7\n");
}

TEST(ResolveTest, BaseFileIsFirstAndNoWish) {
  v1::Kernel kernel = Good();
  kernel.mutable_config()->set_base(v1::KernelConfig::BASE_FILE);
  kernel.mutable_config()->set_base_file("base.config");
  absl::StatusOr<v1::ResolvedKernel> resolved = Resolve(kernel, Read);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->fragments(0).name(), "base.config");
  EXPECT_THAT(PrintWishes(*Wishes(*resolved)), testing::Not(HasSubstr("BASE")));
  EXPECT_TRUE(CheckResolved(*resolved).ok());
}

struct Refusal {
  std::string name;
  v1::Kernel kernel;
  absl::StatusCode code;
  std::string want;
};

class ResolveRefusesTest : public testing::TestWithParam<Refusal> {};

TEST_P(ResolveRefusesTest, WithAReason) {
  absl::Status status = Resolve(GetParam().kernel, Read).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    , ResolveRefusesTest,
    testing::ValuesIn<Refusal>({
        {"Unbuildable", Good("unbuildable: \"needs gcc-4.1\""),
         absl::StatusCode::kFailedPrecondition, "kernel k can not be built: needs gcc-4.1"},
        {"UnknownTarball",
         Entry("tarball { location: \"/l.tar\" } config { base: BASE_DEFCONFIG }"),
         absl::StatusCode::kFailedPrecondition, "the sha256 of /l.tar is not known"},
        {"UnknownPatch", Good("patches { location: \"x.patch\" }"),
         absl::StatusCode::kFailedPrecondition, "the sha256 of patch x.patch is not known"},
        {"NoFragment", WithFragment("c.config"), absl::StatusCode::kNotFound,
         "kernel k: no c.config"},
        {"BadFragment", WithFragment("bad.config"), absl::StatusCode::kInvalidArgument,
         "bad.config:1"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckResolvedTest, BelievesNoOrderThatResolveCouldNotGive) {
  const v1::ResolvedKernel good = *Resolve(Good(), Read);
  v1::ResolvedKernel fewer = good;
  fewer.mutable_fragments()->RemoveLast();
  EXPECT_FALSE(CheckResolved(fewer).ok());
  v1::ResolvedKernel patched = good;
  patched.add_patch_sha256(std::string(64, 'a'));
  EXPECT_FALSE(CheckResolved(patched).ok());
  v1::ResolvedKernel newer = good;
  newer.set_recipe_version(kRecipeVersion + 1);
  EXPECT_THAT(std::string(CheckResolved(newer).message()), HasSubstr("recipe version"));
  v1::ResolvedKernel hostile = good;
  hostile.mutable_kernel()->set_name("../../etc");
  EXPECT_FALSE(CheckResolved(hostile).ok());
}

class ReadPatchesTest : public testing::Test {
 protected:
  ReadPatchesTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/patchesXXXXXX");
    folder_ = mkdtemp(pattern.data());
  }
  ~ReadPatchesTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(ReadPatchesTest, FillsInDigestsAndComparesThem) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/a.patch", "patch text").ok());
  v1::Kernel kernel =
      Good("patches { location: \"a.patch\" } patches { location: \"https://x/y\" }");
  absl::StatusOr<std::vector<PatchFile>> files = ReadPatches(kernel, folder_);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ((*files)[0].content, "patch text");
  EXPECT_EQ(kernel.patches(0).sha256(), Sha256Hex("patch text"));
  EXPECT_EQ(kernel.patches(1).sha256(), "");
  kernel.mutable_patches(0)->set_sha256(std::string(64, '0'));
  EXPECT_THAT(std::string(ReadPatches(kernel, folder_).status().message()),
              HasSubstr("the entry says 000"));
}

TEST_F(ReadPatchesTest, DoesNotLeaveTheFolder) {
  v1::Kernel kernel = Good("patches { location: \"../../etc/passwd\" }");
  EXPECT_EQ(ReadPatches(kernel, folder_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace shakedown::kernels
