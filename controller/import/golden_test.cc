// tests/golden/import/NAME.txt → NAME.json. SHAKEDOWN_REWRITE_GOLDEN=1 rewrites them; check each
// number by hand before committing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/import/golden_texts.h"
#include "controller/import/parse.h"
#include "proto/wire/files.h"

namespace shakedown::importer {
namespace {

class GoldenTest : public testing::TestWithParam<GoldenText> {};

TEST_P(GoldenTest, JsonIsAsBefore) {
  const GoldenText& golden = GetParam();
  const std::string got = PrintJson({{golden.name + ".txt", ParseText(golden.text)}});
  const std::string path = absl::StrCat(GoldenFolder(), golden.name, ".json");
  if (std::getenv("SHAKEDOWN_REWRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(path, got).ok());
  }
  const absl::StatusOr<std::string> want = ReadFile(path);
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_EQ(got, *want) << "if the new text is right: SHAKEDOWN_REWRITE_GOLDEN=1";
}

INSTANTIATE_TEST_SUITE_P(, GoldenTest, testing::ValuesIn(GoldenTexts()), GoldenName);

TEST(GoldenTextsTest, AreThere) { EXPECT_GT(GoldenTexts().size(), 40u); }

}  // namespace
}  // namespace shakedown::importer
