#include "kernels/recipe/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"

namespace shakedown::kernels {
namespace {

using testing::HasSubstr;

std::string SourceDir() {
  const char* dir = std::getenv("SHAKEDOWN_SOURCE_DIR");
  return dir != nullptr ? dir : ".";
}

class CatalogTest : public testing::Test {
 protected:
  CatalogTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/catalogXXXXXX");
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ + "/configs");
    std::filesystem::create_directories(folder_ + "/catalog");
    Write("configs/a.config", "CONFIG_A=y\n");
  }
  ~CatalogTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(absl::StrCat(folder_, "/", name), text).ok());
  }
  std::string Lint() {
    return PrintFindings(LintCatalog(folder_ + "/catalog", folder_ + "/configs"));
  }

  std::string folder_;
};

constexpr char kRest[] =
    " debian_source { package: \"linux-source-6.1\" } config { base: BASE_ALLNOCONFIG fragments: "
    "\"a.config\" }";

TEST(ShippedCatalogTest, LintsWithoutErrorsAndResolves) {
  const std::string configs = SourceDir() + "/kernels/configs";
  const std::vector<Finding> findings = LintCatalog(SourceDir() + "/kernels/catalog", configs);
  EXPECT_TRUE(Passes(findings)) << PrintFindings(findings);
  auto kernels = LoadCatalog(SourceDir() + "/kernels/catalog");
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  for (const auto& [name, kernel] : *kernels) {
    absl::Status status = Resolve(kernel, FragmentsIn(configs)).status();
    if (kernel.unbuildable().empty()) {
      EXPECT_TRUE(status.ok()) << status;
    } else {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << name;
      EXPECT_THAT(std::string(status.message()), HasSubstr("needs gcc-4."));
    }
  }
}

TEST(ShippedCatalogTest, HasEveryTickRateAndPreemptionOfBothReleases) {
  auto kernels = LoadCatalog(SourceDir() + "/kernels/catalog");
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  for (const char* release : {"6.1", "6.12"}) {
    for (const char* hz : {"", "-hz100", "-hz1000"}) {
      for (const char* preemption : {"", "-none", "-full"}) {
        EXPECT_TRUE(kernels->contains(absl::StrCat("debian-", release, hz, preemption)));
      }
    }
    EXPECT_TRUE(kernels->contains(absl::StrCat("debian-", release, "-cloud")));
    EXPECT_TRUE(kernels->contains(absl::StrCat("debian-", release, "-rt")));
  }
}

TEST_F(CatalogTest, TypoIsFoundWithFileAndLine) {
  Write("catalog/good.txtpb", absl::StrCat("name: \"good\"", kRest));
  Write("catalog/typo.txtpb", "name: \"typo\"\nsuorce { }\n");
  EXPECT_THAT(Lint(), HasSubstr("catalog/typo.txtpb: error: 2:"));
  EXPECT_THAT(Lint(), HasSubstr("suorce"));
  absl::Status load = LoadCatalog(folder_ + "/catalog").status();
  EXPECT_EQ(load.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(load.message()), HasSubstr("typo.txtpb"));
}

TEST_F(CatalogTest, FileNameMustBeTheKernelName) {
  Write("catalog/one.txtpb", absl::StrCat("name: \"two\"", kRest));
  EXPECT_THAT(Lint(), HasSubstr("name: \"two\": want the file's name"));
}

TEST_F(CatalogTest, MissingFragmentIsFound) {
  Write("catalog/one.txtpb",
        "name: \"one\" local_tree { path: \"/x\" } config { base: BASE_ALLNOCONFIG fragments: "
        "\"gone.config\" }");
  EXPECT_THAT(Lint(), HasSubstr("no file gone.config among the fragments"));
}

TEST_F(CatalogTest, BadFragmentIsFound) {
  Write("catalog/one.txtpb", absl::StrCat("name: \"one\"", kRest));
  Write("configs/b.config", "CONFIG_B\n");
  EXPECT_THAT(Lint(), HasSubstr("b.config:1: \"CONFIG_B\""));
}

TEST_F(CatalogTest, PatchFileWithAnotherDigestIsFound) {
  Write("catalog/fix.patch", "--- a\n+++ b\n");
  const std::string patch = "\" patches { location: \"fix.patch\" strip: 1 sha256: \"";
  Write("catalog/one.txtpb",
        absl::StrCat("name: \"one", patch, std::string(64, '0'), "\" }", kRest));
  EXPECT_THAT(Lint(), HasSubstr("patch fix.patch: sha256 is "));
  Write("catalog/one.txtpb",
        absl::StrCat("name: \"one", patch, Sha256Hex("--- a\n+++ b\n"), "\" }", kRest));
  EXPECT_EQ(Lint(), "");
}

TEST_F(CatalogTest, NoFolderIsAnError) {
  EXPECT_EQ(LoadCatalog(folder_ + "/nowhere").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(Passes(LintCatalog(folder_ + "/nowhere", folder_ + "/configs")));
}

}  // namespace
}  // namespace shakedown::kernels
