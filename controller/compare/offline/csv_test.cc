#include "controller/compare/offline/csv.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "controller/compare/offline/csv_line.h"

namespace shakedown::offline {
namespace {

using Numbers = std::vector<double>;

TEST(ReadSamplesTest, RowsAndColumns) {
  const auto samples = ReadSamples("b.csv", "# by hand\nblock,make.real,idle\n1,2.5,0\n2,-1e3,4\n");
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(samples->blocks, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(samples->Find("make.real")->values, (Numbers{2.5, -1000}));
  EXPECT_EQ(samples->Find("idle")->values, (Numbers{0, 4}));
  EXPECT_EQ(samples->Find("block"), nullptr);
  EXPECT_EQ(samples->lines, (std::vector<int>{3, 4}));
  EXPECT_EQ(samples->comments, (std::vector<std::string>{"by hand"}));
}

// What spreadsheets write: a byte-order mark, CRLF, quotes, spaces, no newline at the end.
TEST(ReadSamplesTest, SpreadsheetHabits) {
  const auto samples = ReadSamples(
      "b.csv", "\xef\xbb\xbf\"block\", \"a, b\" ,c\r\n\"x \"\"1\"\"\",1,2\r\n\r\ny,\"3\",4");
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(samples->blocks, (std::vector<std::string>{"x \"1\"", "y"}));
  EXPECT_EQ(samples->Find("a, b")->values, (Numbers{1, 3}));
  EXPECT_EQ(samples->Find("c")->values, (Numbers{2, 4}));
}

TEST(ReadSamplesTest, EmptyLinesAroundOneColumn) {
  const auto samples = ReadSamples("b.csv", "\n\na\n1\n2\n\n# end\n\n");
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(samples->Find("a")->values, (Numbers{1, 2}));
}

struct BadCase {
  std::string name;
  std::string text;
  std::string want;  // The message holds this.
};

class BadCsvTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadCsvTest, IsRefusedWithItsPlace) {
  const auto samples = ReadSamples("b.csv", GetParam().text);
  ASSERT_FALSE(samples.ok());
  EXPECT_EQ(samples.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(samples.status().message().find(GetParam().want), absl::string_view::npos)
      << samples.status().message();
  EXPECT_EQ(samples.status().message().find("b.csv: "), 0u);
  EXPECT_LT(samples.status().message().size(), 300u);
  for (const char c : samples.status().message()) EXPECT_GE(c, 0x20);
}

INSTANTIATE_TEST_SUITE_P(
    , BadCsvTest,
    testing::ValuesIn<BadCase>({
        {"Nothing", "", "no header"},
        {"OnlyComments", "# a\n# b\n", "no header"},
        {"NoRows", "a,b\n", "no rows"},
        {"OnlyBlocks", "block\n1\n", "line 1, column 1: no metric"},
        {"EmptyCell", "a,b\n1,2\n3,\n", "line 3, column 2: b is empty"},
        {"EmptyLineOfOneColumn", "\n# c\na\n1\n \n3\n",
         "line 5, column 1: a is empty, want a number"},
        {"NotANumber", "a,b\n1,2\nx,3\n", "line 3, column 1: a is \"x\", want a number"},
        {"Nan", "a\nNaN\n", "line 2, column 1: a is \"NaN\", want a number"},
        {"Infinity", "a\ninf\n", "line 2, column 1"},
        {"Hexadecimal", "a\n0x10\n", "line 2, column 1"},
        {"WithUnit", "a\n12ms\n", "line 2, column 1"},
        {"DecimalComma", "a\n\"1,5\"\n", "line 2, column 1: a is \"1,5\""},
        {"TooLarge", "a\n1e999\n", "line 2, column 1: a is \"1e999\", want 0 or a size between"},
        {"BeyondAnySize", "a\n1e101\n", "line 2, column 1"},
        {"TooSmall", "a\n1e-320\n", "line 2, column 1"},
        {"MissingCell", "a,b\n1\n", "line 2, column 2: missing: the line has 1 cells, want 2"},
        {"OneTooMany", "a,b\n1,2,3\n", "line 2, column 3: one too many"},
        {"TrailingComma", "a,b\n1,2,\n", "line 2, column 3: one too many"},
        {"DuplicateName", "a,b,a\n1,2,3\n", "line 1, column 3: \"a\" is also column 1"},
        {"DuplicateBlockColumn", "block,block,a\n1,2,3\n", "line 1, column 2"},
        {"DuplicateBlock", "block,a\n1,2\n2,2\n1,3\n",
         "line 4, column 1: block \"1\" is also on line 2"},
        {"EmptyBlock", "block,a\n,2\n", "line 2, column 1: empty"},
        {"EmptyName", "a,,b\n1,2,3\n", "line 1, column 2: no name"},
        {"OpenQuote", "a,b\n1,\"2\n3,4\n", "line 2, column 2: the quote is not closed"},
        {"JunkBehindQuote", "a\n\"1\"2\n", "line 2, column 1: \"2\" behind the closing quote"},
        {"QuoteInside", "a\n1\"2\n", "line 2, column 1: a quote inside"},
        {"Nul", std::string("a\n1\0002\n", 6), "line 2, column 1"},
        {"Escape", "a\n\x1b[31m1\n", "line 2, column 1"},
        {"EscapeInName", "\x1b[2Ja\n1\n", "line 1, column 1"},
        {"CarriageReturnInside", "a\n1\r2\n", "line 2, column 1"},
        {"LongCell", "a\n" + std::string(200, '1') + "\n", "line 2, column 1: cell of 200 bytes"},
        {"LongLine", "a\n" + std::string(100000, ' ') + "1\n", "line 2, column 1: line of 100001"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ReadSamplesTest, ManyColumnsAreRefused) {
  std::string header = "c0";
  for (size_t i = 1; i <= kMostColumns; ++i) absl::StrAppend(&header, ",c", i);
  EXPECT_FALSE(ReadSamples("b.csv", header + "\n").ok());
}

}  // namespace
}  // namespace shakedown::offline
