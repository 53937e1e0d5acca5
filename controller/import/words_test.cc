#include "controller/import/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::importer {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(NumberTest, AsPrintfWritesIt) {
  EXPECT_THAT(Number("0"), Optional(0.0));
  EXPECT_THAT(Number("2.5"), Optional(2.5));
  EXPECT_THAT(Number("2,5"), Optional(2.5));
  EXPECT_THAT(Number("-3"), Optional(-3.0));
  EXPECT_THAT(Number("+3"), Optional(3.0));
  EXPECT_THAT(Number("1.8781e+06"), Optional(1878100.0));
  for (const char* bad : {"", ".", "1.", ".5", "1e", "nan", "inf", "0x10", "1_0", "1,2,3", "1.2,3",
                          "--1", "+-1", "1 ", "1e999", "12345678901234567890123456789012345678901"})
    EXPECT_EQ(Number(bad), std::nullopt) << bad;
}

TEST(GroupedTest, OnlyWhatCanBeTold) {
  EXPECT_THAT(Grouped("1,234,567", true), Optional(1234567.0));
  EXPECT_THAT(Grouped("1.234.567", true), Optional(1234567.0));
  EXPECT_THAT(Grouped("1,234", true), Optional(1234.0));
  EXPECT_THAT(Grouped("1,234.56", false), Optional(1234.56));
  EXPECT_THAT(Grouped("1.234,56", false), Optional(1234.56));
  EXPECT_THAT(Grouped("0,998", false), std::nullopt);
  EXPECT_EQ(Grouped("1,234", false), std::nullopt);
  EXPECT_THAT(Grouped("12,34", false), Optional(12.34));
  EXPECT_EQ(Grouped("12,34", true), std::nullopt);
  EXPECT_EQ(Grouped("1,23,456", true), std::nullopt);
  EXPECT_EQ(Grouped("1234,567.5", false), std::nullopt);
}

TEST(ClockTest, MinutesAndHours) {
  EXPECT_THAT(Clock("2:16.19"), Optional(136.19));
  EXPECT_THAT(Clock("1:02:03"), Optional(3723.0));
  EXPECT_THAT(Clock("999:55.90"), Optional(59995.9));
  EXPECT_THAT(Clock("0:00,21"), Optional(0.21));
  for (const char* bad : {"", "1", "1:2", "1:75:00", "1:99.5", "1:2:3:4", "a:00", "1:-1"})
    EXPECT_EQ(Clock(bad), std::nullopt) << bad;
}

TEST(SecondsAfterTest, ExactToTheLastPlace) {
  EXPECT_THAT(SecondsAfter(120, "40.232"), Optional(160.232));
  EXPECT_THAT(SecondsAfter(60, "8,275"), Optional(68.275));
  EXPECT_EQ(SecondsAfter(0, "13."), std::nullopt);
  EXPECT_EQ(SecondsAfter(0, ""), std::nullopt);
}

TEST(TakeNumberTest, LeavesTheRest) {
  absl::string_view text = "12.5k, 3";
  EXPECT_EQ(TakeNumber(&text), "12.5");
  EXPECT_EQ(text, "k, 3");
  text = "12, 3";
  EXPECT_EQ(TakeNumber(&text), "12");
  EXPECT_EQ(text, ", 3");
  text = "x";
  EXPECT_EQ(TakeNumber(&text), "");
}

TEST(WordsTest, TabsAndBlanks) { EXPECT_THAT(Words(" a\t b  c "), ElementsAre("a", "b", "c")); }

}  // namespace
}  // namespace shakedown::importer
