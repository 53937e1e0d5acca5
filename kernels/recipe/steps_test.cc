#include "kernels/recipe/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/recipe/kernel_text.h"

namespace shakedown::kernels {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string Text(const std::vector<Step>& steps) {
  return absl::StrJoin(steps, "\n", [](std::string* out, const Step& step) {
    absl::StrAppend(out, step.name, ": ", absl::StrJoin(step.argv, " "));
  });
}

v1::Kernel Kernel(const std::string& config) {
  return *ParseKernel(absl::StrCat("name: \"k\" config { ", config,
                                   " } patches { location: \"a; rm -rf /\" strip: 1 } patches { "
                                   "location: \"b.patch\" }"),
                      "k");
}

TEST(PrepareStepsTest, UnpacksPatchesInOrderAndConfigures) {
  EXPECT_EQ(
      Text(PrepareSteps(Kernel("base: BASE_ALLNOCONFIG"), SourceForm::kArchive, {"gcc", true})),
      "make the folders: mkdir /build/linux /build/modules /build/out\n"
      "unpack the source: tar --no-same-owner --no-same-permissions --extract --file=/in/source "
      "--directory=/build/linux --strip-components=1\n"
      "patch 1 (a; rm -rf /): patch --batch --forward --no-backup-if-mismatch --fuzz=0 "
      "--reject-file=- --directory=/build/linux --strip=1 --input=/in/patch-1\n"
      "patch 2 (b.patch): patch --batch --forward --no-backup-if-mismatch --fuzz=0 "
      "--reject-file=- --directory=/build/linux --strip=0 --input=/in/patch-2\n"
      "configure: make -C /build/linux ARCH=x86_64 CC=ccache gcc HOSTCC=ccache gcc --silent "
      "KCONFIG_ALLCONFIG=/in/wishes allnoconfig");
}

TEST(PrepareStepsTest, OtherBasesGetTheWishesBehindThem) {
  const std::string defconfig =
      Text(PrepareSteps(Kernel("base: BASE_DEFCONFIG"), SourceForm::kGit, {}));
  EXPECT_THAT(defconfig, AllOf(HasSubstr("--silent defconfig"), HasSubstr("cat /in/wishes"),
                               HasSubstr("--silent olddefconfig"), HasSubstr("safe.directory=*"),
                               Not(HasSubstr("strip-comp"))));
  const std::string file = Text(
      PrepareSteps(Kernel("base: BASE_FILE base_file: \"x.config\""), SourceForm::kFolder, {}));
  EXPECT_THAT(file, AllOf(HasSubstr("cp /in/base.config /build/linux/.config"),
                          HasSubstr("--exclude-vcs"), HasSubstr("mrproper")));
}

TEST(PrepareStepsTest, NothingOfTheEntryIsAShellWord) {
  for (const Step& step : PrepareSteps(Kernel("base: BASE_DEFCONFIG"), SourceForm::kArchive, {})) {
    for (const std::string& word : step.argv) EXPECT_THAT(word, Not(HasSubstr("rm -rf"))) << word;
  }
}

TEST(CompileStepsTest, CarriesTheKeyAndBuildsModulesWhenThereAreSome) {
  const std::string key(64, 'a');
  const std::string plain = Text(CompileSteps(key, 4, false, {"gcc-11", false}));
  EXPECT_THAT(plain, HasSubstr("compile: make -C /build/linux ARCH=x86_64 CC=gcc-11 HOSTCC=gcc -j4 "
                               "LOCALVERSION=-aaaaaaaaaaaa bzImage\n"));
  EXPECT_THAT(plain, Not(HasSubstr("modules")));
  EXPECT_THAT(Text(CompileSteps(key, 4, true, {})),
              AllOf(HasSubstr("bzImage modules\n"), HasSubstr("modules_install")));
}

TEST(StepEnvironmentTest, FixesWhatGetsIntoTheBytes) {
  EXPECT_THAT(StepEnvironment(), Contains("LC_ALL=C"));
  EXPECT_THAT(StepEnvironment(), Contains("KBUILD_BUILD_USER=shakedown"));
  EXPECT_THAT(StepEnvironment(), Contains(HasSubstr("KBUILD_BUILD_TIMESTAMP=")));
}

}  // namespace
}  // namespace shakedown::kernels
