#include "kernels/recipe/check_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/recipe/kernel_text.h"

namespace shakedown::kernels {
namespace {

using testing::HasSubstr;

constexpr char kGood[] =
    "debian_source { package: \"linux-source-6.12\" } config { base: BASE_ALLNOCONFIG }";

struct Case {
  std::string name;
  std::string text;  // Of the entry.
  std::string want;  // In the findings; empty: passes.
};

class CheckKernelTest : public testing::TestWithParam<Case> {};

TEST_P(CheckKernelTest, Says) {
  absl::StatusOr<v1::Kernel> kernel = ParseKernel(GetParam().text, "k");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const std::vector<Finding> findings = CheckKernel(*kernel, "k.txtpb");
  EXPECT_EQ(Passes(findings), GetParam().want.empty()) << PrintFindings(findings);
  EXPECT_THAT(PrintFindings(findings), HasSubstr(GetParam().want));
}

std::string With(std::string more, std::string name = "a") {
  return "name: \"" + name + "\" " + kGood + " " + more;
}

std::string Configured(const std::string& more) {
  return "name: \"a\" local_tree { path: \"/x\" } config { base: BASE_ALLNOCONFIG " + more + " }";
}

std::string Source(const std::string& source) {
  return "name: \"a\" " + source + " config { base: BASE_DEFCONFIG }";
}

INSTANTIATE_TEST_SUITE_P(
    , CheckKernelTest,
    testing::ValuesIn<Case>({
        {"Good", With(""), ""},
        {"NameWithSlash", With("", "../a"), "kernel name \"../a\""},
        {"NameWithSpace", With("", "a b"), "kernel name"},
        {"NameUpper", With("", "Mine"), "kernel name"},
        {"NameEmpty", With("", ""), "kernel name \"\""},
        {"NameLong", With("", std::string(300, 'a')), "(300 bytes)"},
        {"NoSource", "name: \"a\"", "source: absent"},
        {"PackageIsAnOption", Source("debian_source { package: \"--reinstall\" }"), "package"},
        {"PackageIsAnother", Source("debian_source { package: \"openssh-server\" }"),
         "want linux-source-VERSION"},
        {"PackageWithSpace", Source("debian_source { package: \"linux-source-6.1 x\" }"),
         "package"},
        {"ImageIsAnother", "name: \"a\" debian_image { package: \"sudo\" }", "linux-image-"},
        {"Image", "name: \"a\" debian_image { package: \"linux-image-rt-amd64\" }", ""},
        {"ImagePatched",
         "name: \"a\" debian_image { package: \"linux-image-rt-amd64\" } patches { location: \"x\" "
         "}",
         "can not be patched"},
        {"ImageConfigured",
         "name: \"a\" debian_image { package: \"linux-image-rt-amd64\" } config { }",
         "brings its own"},
        {"TarballRelative", Source("tarball { location: \"a.tar\" }"), "tarball.location"},
        {"TarballDotDot", Source("tarball { location: \"/a/../b.tar\" }"), "tarball.location"},
        {"TarballHttp", Source("tarball { location: \"http://a/b.tar\" }"), "tarball.location"},
        {"TarballShortDigest", Source("tarball { location: \"/a.tar\" sha256: \"12ab\" }"),
         "tarball.sha256: \"12ab\": want 64"},
        {"TarballUnknownDigest", Source("tarball { location: \"/a.tar\" }"), ""},
        {"GitBranch", Source("git { location: \"/r\" commit: \"master\" }"), "git.commit"},
        {"GitTransport",
         Source("git { location: \"ext::sh -c x\" commit: "
                "\"0123456789012345678901234567890123456789\" }"),
         "git.location"},
        {"LocalTree", Source("local_tree { path: \"/home/me/linux\" }"), ""},
        {"LocalRelative", Source("local_tree { path: \"linux\" }"), "local_tree.path"},
        {"NoBase", "name: \"a\" local_tree { path: \"/x\" }", "config.base: absent"},
        {"FragmentPath", Configured("fragments: \"../x.config\""), "config.fragments"},
        {"Option", Configured("options: \"HZ_1000\""), "want OPTION=value"},
        {"BaseFileWithoutNeed", Configured("base_file: \"a.config\""), "config.base_file"},
        {"Compiler", With("toolchain { compiler: \"/tmp/gcc\" }"), "toolchain.compiler"},
        {"CompilerWords", With("toolchain { compiler: \"gcc -B/tmp\" }"), "toolchain.compiler"},
        {"BootWords", With("boot_parameters: \"a b\""), "boot_parameters"},
        {"Tunable", With("tunables { name: \"kernel.sched_autogroup_enabled\" value: \"0\" }"), ""},
        {"TunablePath", With("tunables { name: \"/etc/passwd\" value: \"0\" }"), "tunables.name"},
        {"TunableUp", With("tunables { name: \"sched/../x\" value: \"0\" }"), "tunables.name"},
        {"TunableEmpty", With("tunables { name: \"kernel.x\" }"), "tunables.value"},
        {"PatchStrip", With("patches { location: \"a\" strip: 77 }"), "strip: \"77\""},
        {"PatchDigest", With("patches { location: \"a\" sha256: \"XYZ\" }"), "patches[0].sha256"},
        {"DescriptionLines", With("description: \"a\\nb\""), "description"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckKernelNotesTest, UnknownDigestAndUnbuildableAreNotes) {
  absl::StatusOr<v1::Kernel> kernel =
      ParseKernel(Source("tarball { location: \"/a.tar\" } unbuildable: \"needs gcc-4.1\""), "k");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const std::vector<Finding> findings = CheckKernel(*kernel, "k.txtpb");
  EXPECT_TRUE(Passes(findings));
  EXPECT_EQ(PrintFindings(findings),
            "k.txtpb: note: tarball.sha256: not known: it must be filled in before this kernel is "
            "built\nk.txtpb: note: not built here: needs gcc-4.1");
}

}  // namespace
}  // namespace shakedown::kernels
