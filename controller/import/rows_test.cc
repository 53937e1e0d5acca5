#include "controller/import/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/import/golden_texts.h"
#include "controller/import/parse.h"

namespace shakedown::importer {
namespace {

using testing::ElementsAre;

std::vector<Row> Read(absl::string_view text) { return RowsOf(ParseText(text)); }

// "BFS|time.real|make -j4 (1)|r1 i1".
std::string Text(const Row& row) {
  return absl::StrCat(row.variant, "|", row.metric, "|", row.detail, "|r", row.run, " i",
                      row.iteration);
}

std::string Golden(const std::string& name) {
  for (const GoldenText& golden : GoldenTexts())
    if (golden.name == name) return golden.text;
  ADD_FAILURE() << "no golden text " << name;
  return "";
}

TEST(RowsTest, ColumnsOfATableAreVariants) {
  const std::vector<Row> rows = Read(Golden("figures-2009-side-by-side"));
  EXPECT_THAT(VariantsOf(rows), ElementsAre("BFS", "CFS"));
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(Text(rows[0]), "BFS|time.real|make -j4 (1)|r1 i1");
  for (const Row& row : rows) EXPECT_EQ(row.run, 1) << Text(row);
}

TEST(RowsTest, KernelsThatTheTextNamesAreVariantsAndStarsAreKept) {
  const std::vector<Row> rows = Read(Golden("figures-2010-interbench"));
  EXPECT_THAT(VariantsOf(rows), ElementsAre("2.6.35-ck1", "2.6.35"));
  const auto starred = std::count_if(rows.begin(), rows.end(), IsStarred);
  EXPECT_GT(starred, 40);
  EXPECT_LT(starred, static_cast<long>(rows.size()));
}

TEST(RowsTest, RowsOfOneVmstatAreIterationsAndOfAnotherARun) {
  const std::string table =
      "procs -----------memory---------- ---swap-- -----io---- -system-- ----cpu----\n"
      " r b swpd free buff cache si so bi bo in cs us sy id wa\n"
      " 5 0 0 221480 300 1394612 0 0 181 0 6068 5317 69 6 25 0\n"
      " 4 0 0 220880 300 1395268 0 0 176 0 6147 5579 68 6 27 0\n\n";
  std::vector<std::string> texts;
  for (const Row& row : Read(table + table)) {
    if (row.metric == "vmstat.cs")
      texts.push_back(absl::StrCat(Text(row), row.warmup ? " warmup" : ""));
  }
  EXPECT_THAT(texts, ElementsAre("|vmstat.cs||r1 i1 warmup", "|vmstat.cs||r1 i2",
                                 "|vmstat.cs||r2 i1 warmup", "|vmstat.cs||r2 i2"));
}

TEST(RowsTest, TheSameResultAgainIsAnotherRun) {
  std::vector<int> runs;
  for (const Row& row : Read("Running with 20 groups 800 tasks\nTime: 1.5\nTime: 1.6\n\n"
                             "Running with 20*40 (== 800) tasks.\nTime: 1.7\n"
                             "Running with 20*40 (== 800) tasks.\nTime: 1.8\n"))
    if (row.metric == "hackbench.time") runs.push_back(row.run);
  ASSERT_GE(runs.size(), 2u);
  EXPECT_EQ(runs.back(), static_cast<int>(runs.size()));
}

TEST(RowsTest, EveryGoldenTextGivesSoundRows) {
  for (const GoldenText& golden : GoldenTexts()) {
    const Parsed parsed = ParseText(golden.text);
    const std::vector<Row> rows = RowsOf(parsed);
    EXPECT_EQ(rows.size(), parsed.results.size());
    for (const Row& row : rows) {
      EXPECT_GE(row.run, 1) << golden.name;
      EXPECT_GE(row.iteration, 1) << golden.name;
      EXPECT_FALSE(row.metric.empty()) << golden.name;
    }
    EXPECT_EQ(ToolsOf(parsed).empty(), rows.empty()) << golden.name;
  }
}

}  // namespace
}  // namespace shakedown::importer
