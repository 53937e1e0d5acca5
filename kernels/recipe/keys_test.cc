#include "kernels/recipe/keys.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "kernels/recipe/kernel_text.h"
#include "proto/wire/digest.h"

namespace shakedown::kernels {
namespace {

v1::ResolvedKernel Resolved() {
  v1::ResolvedKernel resolved;
  *resolved.mutable_kernel() = *ParseKernel(
      "name: \"k\" description: \"d\" tarball { location: \"/a.tar\" sha256: \"aa\" } config { "
      "base: "
      "BASE_ALLNOCONFIG fragments: \"f.config\" options: \"A=y\" } patches { location: \"p\" "
      "sha256: "
      "\"bb\" strip: 1 }",
      "k");
  resolved.add_fragments()->set_content("CONFIG_A=y\n");
  resolved.mutable_fragments(0)->set_name("f.config");
  resolved.add_patch_sha256("bb");
  resolved.set_recipe_version(1);
  return resolved;
}

struct Change {
  std::string name;
  std::function<void(v1::ResolvedKernel&)> change;
  bool other_key;
};

class RequestKeyTest : public testing::TestWithParam<Change> {};

TEST_P(RequestKeyTest, ChangesWithWhatChangesTheKernel) {
  v1::ResolvedKernel changed = Resolved();
  GetParam().change(changed);
  EXPECT_TRUE(IsSha256Hex(RequestKey(changed)));
  EXPECT_EQ(RequestKey(changed) != RequestKey(Resolved()), GetParam().other_key);
}

using R = v1::ResolvedKernel;
INSTANTIATE_TEST_SUITE_P(
    , RequestKeyTest,
    testing::ValuesIn<Change>({
        {"Nothing", [](R&) {}, false},
        {"Name", [](R& r) { r.mutable_kernel()->set_name("other"); }, false},
        {"Description", [](R& r) { r.mutable_kernel()->set_description("x"); }, false},
        {"Tunable", [](R& r) { r.mutable_kernel()->add_tunables()->set_name("a"); }, false},
        {"BootParameter", [](R& r) { r.mutable_kernel()->add_boot_parameters("a"); }, false},
        {"PatchPlace", [](R& r) { r.mutable_kernel()->mutable_patches(0)->set_location("q"); },
         false},
        {"TarballPlace",
         [](R& r) { r.mutable_kernel()->mutable_tarball()->set_location("/b.tar"); }, false},
        {"TarballDigest", [](R& r) { r.mutable_kernel()->mutable_tarball()->set_sha256("ab"); },
         true},
        {"PatchDigest", [](R& r) { r.mutable_kernel()->mutable_patches(0)->set_sha256("bc"); },
         true},
        {"Strip", [](R& r) { r.mutable_kernel()->mutable_patches(0)->set_strip(0); }, true},
        {"Fragment", [](R& r) { r.mutable_fragments(0)->set_content("CONFIG_A=n\n"); }, true},
        {"Option", [](R& r) { r.mutable_kernel()->mutable_config()->add_options("B=y"); }, true},
        {"Base",
         [](R& r) {
           r.mutable_kernel()->mutable_config()->set_base(v1::KernelConfig::BASE_DEFCONFIG);
         },
         true},
        {"Compiler", [](R& r) { r.mutable_kernel()->mutable_toolchain()->set_compiler("gcc-11"); },
         true},
        {"Recipe", [](R& r) { r.set_recipe_version(2); }, true},
        {"Source", [](R& r) { r.mutable_kernel()->mutable_debian_source()->set_package("aa"); },
         true},
    }),
    [](const auto& test) { return test.param.name; });

TEST(BuildKeyTest, EveryInputCountsAndNoneRunsIntoTheNext) {
  const BuildInputs base{"src", {"a", "b"}, "CONFIG_A=y\n", "gcc 12", 1, ""};
  std::set<std::string> keys = {BuildKey(base)};
  BuildInputs other = base;
  other.source = "src2";
  keys.insert(BuildKey(other));
  other = base;
  other.patches = {"ab"};
  keys.insert(BuildKey(other));
  other = base;
  other.patches = {"b", "a"};
  keys.insert(BuildKey(other));
  other = base;
  other.config += "CONFIG_B=y\n";
  keys.insert(BuildKey(other));
  other = base;
  other.toolchain = "gcc 13";
  keys.insert(BuildKey(other));
  other = base;
  other.recipe_version = 2;
  keys.insert(BuildKey(other));
  other = base;
  other.initramfs = "x";
  keys.insert(BuildKey(other));
  EXPECT_EQ(keys.size(), 8u);
  EXPECT_EQ(BuildKey(base), BuildKey(BuildInputs(base)));
}

TEST(LocalVersionTest, IsTwelveDigits) {
  EXPECT_EQ(LocalVersion("0123456789abcdef0123"), "-0123456789ab");
}

}  // namespace
}  // namespace shakedown::kernels
