#include "controller/compare/kernel_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace shakedown::compare {
namespace {

using testing::ElementsAre;

KernelRun Text(const std::string& kernel, double value, int64_t import,
               const std::string& metric = "interbench.video.burn.latency.max") {
  return {.kernel = kernel,
          .origin = "imports",
          .metric = metric,
          .unit = "ms",
          .direction = "lower",
          .value = value,
          .import = import};
}
KernelRun Boot(const std::string& kernel, double value, int n) {
  KernelRun run = Text(kernel, value, 0);
  run.origin = "farm";
  run.boot = absl::StrCat("1.", n, "A");
  return run;
}

TEST(KernelTableTest, OneTextAKernelIsInsufficient) {
  KernelRun starred = Text("b", 12, 1);
  starred.starred = true;
  const auto table = CompareRuns({"a", "b"}, {starred, Text("a", 10, 1)});
  ASSERT_EQ(table.rows_size(), 1);
  const auto& row = table.rows(0);
  EXPECT_EQ(row.cells(0).median(), 10);
  EXPECT_FALSE(row.cells(0).starred());
  EXPECT_TRUE(row.cells(1).starred());
  EXPECT_EQ(row.cells(1).n(), 1u);
  EXPECT_DOUBLE_EQ(row.change(0), 0.2);
  EXPECT_THAT(row.verdict(), ElementsAre("insufficient"));
}

TEST(KernelTableTest, RunsOfOneTextCountAsOneForTheVerdictAlone) {
  std::vector<KernelRun> runs;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(Text("a", 100 + i * 0.1, 1));
    runs.push_back(Text("b", 10 + i * 0.1, 2));
  }
  const auto table = CompareRuns({"a", "b"}, runs);
  EXPECT_EQ(table.rows(0).cells(0).n(), 10u);
  EXPECT_GT(table.rows(0).cells(0).spread(), 0);
  EXPECT_THAT(table.rows(0).verdict(), ElementsAre("insufficient"));
}

TEST(KernelTableTest, ManyTextsOrBootsGiveAVerdictAndAreNeverPooled) {
  std::vector<KernelRun> runs;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(Boot("a", 100 + i * 0.1, i));
    runs.push_back(Boot("b", 10 + i * 0.1, 100 + i));
    runs.push_back(Text("a", 10 + i * 0.1, i));
    runs.push_back(Text("b", 100 + i * 0.1, 100 + i));
  }
  const auto table = CompareRuns({"a", "b"}, runs);
  ASSERT_EQ(table.rows_size(), 2);
  EXPECT_EQ(table.rows(0).origin(), "imports");
  EXPECT_THAT(table.rows(0).verdict(), ElementsAre("worse"));
  EXPECT_EQ(table.rows(0).cells(0).imports_size(), 10);
  EXPECT_EQ(table.rows(1).origin(), "farm");
  EXPECT_THAT(table.rows(1).verdict(), ElementsAre("better"));
  EXPECT_EQ(table.rows(1).cells(0).boots_size(), 10);
}

TEST(KernelTableTest, UnitsDetailsAndTunablesStayApart) {
  KernelRun us = Text("b", 1000, 1);
  us.unit = "us";
  KernelRun cold = Text("b", 5, 1);
  cold.detail = "cold";
  const auto table = CompareRuns(
      {"a", "a x=1", "b"}, {Text("a", 0, 1), Text("a x=1", 2, 1), us, cold, Text("other", 1, 1)});
  ASSERT_EQ(table.rows_size(), 3);
  EXPECT_EQ(table.rows(0).cells(0).n(), 1u);
  EXPECT_EQ(table.rows(0).cells(1).median(), 2);
  EXPECT_EQ(table.rows(0).cells(2).n(), 0u);
  EXPECT_TRUE(std::isnan(table.rows(0).change(0)));  // Of 0.
  EXPECT_TRUE(std::isnan(table.rows(0).change(1)));  // Of nothing.
  EXPECT_EQ(table.rows(1).unit(), "us");
  EXPECT_EQ(table.rows(2).detail(), "cold");
  for (const auto& row : table.rows()) EXPECT_EQ(row.verdict_size(), 2);
}

TEST(KernelTableTest, AnUnknownDirectionIsNotJudged) {
  std::vector<KernelRun> runs;
  for (int i = 0; i < 10; ++i) {
    for (const char* kernel : {"a", "b"}) {
      KernelRun run = Text(kernel, kernel[0] * (1 + i * 0.01), i, "vmstat.cs");
      run.direction.clear();
      run.unit = "1/s";
      runs.push_back(run);
    }
  }
  const auto table = CompareRuns({"a", "b"}, runs);
  EXPECT_EQ(table.rows(0).direction(), "");
  EXPECT_THAT(table.rows(0).verdict(), ElementsAre("inconclusive"));
}

TEST(KernelTableTest, TheOrderOfRunsWithinARowDoesNotMatter) {
  std::vector<KernelRun> runs;
  for (int i = 0; i < 12; ++i) runs.push_back(Text(i % 2 == 0 ? "a" : "b", 10 + (i * 7) % 5, i));
  const std::string before = CompareRuns({"a", "b"}, runs).DebugString();
  std::reverse(runs.begin(), runs.end());
  EXPECT_EQ(CompareRuns({"a", "b"}, runs).DebugString(), before);
}

}  // namespace
}  // namespace shakedown::compare
