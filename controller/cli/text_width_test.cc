#include "controller/cli/text_width.h"

#include <gtest/gtest.h>

namespace shakedown::cli {
namespace {

struct WidthCase {
  const char* name;
  std::string text;
  size_t want;
};
class WidthTest : public testing::TestWithParam<WidthCase> {};
TEST_P(WidthTest, CountsColumns) { EXPECT_EQ(Width(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(, WidthTest,
                         testing::ValuesIn<WidthCase>({
                             {"Empty", "", 0},
                             {"Ascii", "debian-6.1", 10},
                             {"Accent", "Größe", 5},
                             {"Combining", "e\u0301", 1},
                             {"Wide", "漢字", 4},
                             {"Emoji", "🐧", 2},
                             {"SkinTone", "👍🏽", 2},
                             {"BadByte", "a\xff", 2},
                             {"CutCharacter", "a\xe6\xbc", 3},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(CutTest, KeepsWhatFits) { EXPECT_EQ(Cut("abcdef", 6), "abcdef"); }
TEST(CutTest, SaysThatItCut) { EXPECT_EQ(Cut("abcdef", 5), "abcd…"); }
TEST(CutTest, NeverHalvesAWideCharacter) {
  EXPECT_EQ(Cut("漢字漢字", 4), "漢…");
  EXPECT_EQ(Cut("漢字漢字", 5), "漢字…");
}
TEST(CutTest, KeepsCombiningMarksWithTheirLetter) { EXPECT_EQ(Cut("e\u0301abc", 2), "e\u0301…"); }
TEST(CutTest, TakesNoRoom) { EXPECT_EQ(Cut("abc", 0), ""); }

TEST(PadTest, FillsToTheColumn) {
  EXPECT_EQ(PadRight("漢", 4), "漢  ");
  EXPECT_EQ(PadLeft("漢", 4), "  漢");
  EXPECT_EQ(PadRight("abcdef", 3), "ab…");
  EXPECT_EQ(PadRight("漢字", 3), "漢…");
}

}  // namespace
}  // namespace shakedown::cli
