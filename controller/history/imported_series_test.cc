#include "controller/history/imported_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"

namespace shakedown::history {
namespace {

using testing::ElementsAre;

ImportedNumber Of(const std::string& kernel, double value, int64_t import = 1) {
  return {.import = import,
          .machine = "p4-ht",
          .kernel = kernel,
          .unit = "ms",
          .direction = "lower",
          .value = value};
}

std::vector<std::string> Kernels(const ImportedSeries& series) {
  std::vector<std::string> kernels;
  for (const ImportedPoint& point : series.points) kernels.push_back(point.kernel);
  return kernels;
}

TEST(ImportedSeriesTest, KernelsInTheOrderOfVersionsWhateverComesFirst) {
  std::vector<ImportedNumber> numbers;
  for (const char* kernel : {"2.6.35-ck1", "debian-6.12-hz1000", "2.6.9", "2.6.35", "2.6.35-rc7",
                             "2.6.35.4", "debian-6.1", "6.12", "2.6.36-rc1"}) {
    numbers.push_back(Of(kernel, 1));
  }
  for (const char* tunables : {"rr_interval=10", "rr_interval=2"}) {
    numbers.push_back(Of("2.6.9", 1));
    numbers.back().tunables = tunables;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    const std::vector<ImportedSeries> all = BuildImportedSeries(numbers, {});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_THAT(Kernels(all[0]),
                ElementsAre("2.6.9", "2.6.9 rr_interval=2", "2.6.9 rr_interval=10", "2.6.35-rc7",
                            "2.6.35", "2.6.35-ck1", "2.6.35.4", "2.6.36-rc1", "debian-6.1", "6.12",
                            "debian-6.12-hz1000"));
  }
}

TEST(ImportedSeriesTest, APointIsTheMedianOfItsRuns) {
  std::vector<ImportedNumber> numbers = {Of("2.6.35", 4, 7), Of("2.6.35", 1, 3), Of("2.6.35", 2, 7),
                                         Of("2.6.36", 9, 3)};
  numbers[1].starred = true;
  const std::vector<ImportedPoint> points = BuildImportedSeries(numbers, {})[0].points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].median, 2);
  EXPECT_EQ(points[0].mad, 1);
  EXPECT_EQ(points[0].runs, 3u);
  EXPECT_TRUE(points[0].starred);
  EXPECT_THAT(points[0].imports, ElementsAre(3, 7));
  EXPECT_EQ(points[1].runs, 1u);
  EXPECT_EQ(points[1].mad, 0);
  EXPECT_FALSE(points[1].starred);
}

TEST(ImportedSeriesTest, WhatDiffersBesideTheKernelIsAnotherSeries) {
  std::vector<ImportedNumber> numbers(4, Of("2.6.35", 1));
  numbers[1].machine = "x1";
  numbers[2].detail = "make -j4 (2); clients 8";
  numbers[3].unit = "us";
  std::vector<std::string> texts;
  for (const ImportedSeries& series : BuildImportedSeries(numbers, {})) {
    EXPECT_EQ(series.points.size(), 1u);
    texts.push_back(absl::StrCat(series.machine, "|", series.detail, "|", series.unit));
  }
  EXPECT_THAT(texts,
              ElementsAre("p4-ht||ms", "p4-ht||us", "p4-ht|make -j4 (2); clients 8|ms", "x1||ms"));
}

TEST(ImportedSeriesTest, TextsThatContradictEachOtherSayNoDirection) {
  std::vector<ImportedNumber> numbers = {Of("a", 1), Of("b", 1), Of("c", 1)};
  numbers[1].direction = "";
  EXPECT_EQ(BuildImportedSeries(numbers, {})[0].direction, "lower");
  numbers[2].direction = "higher";
  EXPECT_EQ(BuildImportedSeries(numbers, {})[0].direction, "");
}

struct FilterCase {
  std::string name;
  ImportedOptions options;
  std::vector<std::string> want;
};
class ImportedFilterTest : public testing::TestWithParam<FilterCase> {};
TEST_P(ImportedFilterTest, TheSameWordsAsForTheFarmsOwn) {
  std::vector<ImportedNumber> numbers = {Of("2.6.21-rc7", 1), Of("2.6.21-rc7-sd-0.46", 1),
                                         Of("2.6.35", 1), Of("2.6.35-ck1", 1)};
  numbers[1].tunables = "rr_interval=2";
  const std::vector<ImportedSeries> all = BuildImportedSeries(numbers, GetParam().options);
  EXPECT_EQ(all.empty() ? std::vector<std::string>() : Kernels(all[0]), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    , ImportedFilterTest,
    testing::ValuesIn<FilterCase>({
        {"Since", {.since = "2.6.35"}, {"2.6.35", "2.6.35-ck1"}},
        {"SinceAKernel", {.since = "2.6.35-ck1"}, {"2.6.35-ck1"}},
        {"UntilWithWhatIsMadeOfIt",
         {.until = "2.6.21"},
         {"2.6.21-rc7", "2.6.21-rc7-sd-0.46 rr_interval=2"}},
        {"UntilAKernelWithTunables",
         {.until = "2.6.21-rc7-sd-0.46 rr_interval=2"},
         {"2.6.21-rc7", "2.6.21-rc7-sd-0.46 rr_interval=2"}},
        {"Patterns", {.patterns = {"*-ck?", "2.6.21-rc7"}}, {"2.6.21-rc7", "2.6.35-ck1"}},
        {"PatternOfAName",
         {.patterns = {"2.6.21-rc7-sd-0.46"}},
         {"2.6.21-rc7-sd-0.46 rr_interval=2"}},
        {"PatternOfTunables",
         {.patterns = {"*rr_interval=2"}},
         {"2.6.21-rc7-sd-0.46 rr_interval=2"}},
        {"NothingFits", {.since = "6.1"}, {}},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace shakedown::history
