#include "controller/history/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace shakedown::history {
namespace {

using testing::ElementsAre;

const statistics::Metric kTime = statistics::FindMetric("make.real").value();

// Kernels debian-6.N of class "debian", made as they are asked for.
struct Farm {
  Numbers numbers;
  int64_t clock = 0;

  int Kernel(const std::string& version, const std::string& class_name = "debian") {
    for (size_t i = 0; i < numbers.kernels.size(); ++i) {
      if (numbers.kernels[i].version == version && numbers.kernels[i].class_name == class_name) {
        return static_cast<int>(i);
      }
    }
    numbers.kernels.push_back({absl::StrCat(class_name, "-", version), version, class_name, 0,
                               static_cast<int64_t>(numbers.kernels.size()) + 100});
    return static_cast<int>(numbers.kernels.size()) - 1;
  }
  void Boot(int kernel, int64_t job, uint32_t block, uint32_t variant, double median,
            int epoch = 0) {
    numbers.boots.push_back({kernel, epoch, job, block, variant, 1, median,
                             absl::UnixEpoch() + absl::Seconds(++clock)});
  }
};

std::vector<std::string> Versions(const Numbers& numbers, const Series& series) {
  std::vector<std::string> versions;
  for (const Point& point : series.points)
    versions.push_back(numbers.kernels[point.kernel].version);
  return versions;
}
std::vector<double> Values(const Series& series) {
  std::vector<double> values;
  for (const Point& point : series.points) values.push_back(point.median);
  return values;
}

TEST(BuildSeriesTest, PointsAreMediansOfBootsInKernelOrder) {
  Farm farm;
  for (const char* version : {"6.10", "6.2", "6.12-rc1", "6.12"}) {
    const int kernel = farm.Kernel(version);
    for (uint32_t block = 1; block <= 3; ++block)
      farm.Boot(kernel, kernel + 1, block, 1, 10 * block);
  }
  const std::vector<Series> all = BuildSeries(farm.numbers, kTime, {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(Versions(farm.numbers, all[0]), ElementsAre("6.2", "6.10", "6.12-rc1", "6.12"));
  EXPECT_EQ(all[0].points[0].median, 20);
  EXPECT_EQ(all[0].points[0].mad, 10);
  EXPECT_EQ(all[0].points[0].boots.size(), 3u);
  EXPECT_FALSE(all[0].relative);
  std::reverse(farm.numbers.boots.begin(), farm.numbers.boots.end());
  EXPECT_EQ(Values(BuildSeries(farm.numbers, kTime, {})[0]), Values(all[0])) << "in any order";
}

TEST(BuildSeriesTest, ClassesAreSeriesOfTheirOwn) {
  Farm farm;
  farm.Boot(farm.Kernel("6.1"), 1, 1, 1, 10);
  farm.Boot(farm.Kernel("6.1", "debian-rt"), 1, 1, 2, 11);
  const std::vector<Series> all = BuildSeries(farm.numbers, kTime, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].class_name, "debian-rt");
}

TEST(BuildSeriesTest, EpochsAreNumberedByTimeAndNeverPooled) {
  Farm farm;
  farm.Boot(farm.Kernel("6.2"), 1, 1, 1, 10, 7);
  farm.Boot(farm.Kernel("6.1"), 2, 1, 1, 20, 3);
  farm.Boot(farm.Kernel("6.2"), 3, 1, 1, 30, 3);
  const Series series = BuildSeries(farm.numbers, kTime, {})[0];
  EXPECT_THAT(Values(series), ElementsAre(10, 20, 30));
  EXPECT_EQ(series.points[0].epoch, 1);
  EXPECT_EQ(series.points[1].epoch, 2);
  EXPECT_THAT(series.epochs, ElementsAre(7, 3));
}

// The reference is 10 s in job 1 and slower by a tenth in each job after it: the machine drifts.
Farm Drifting(int jobs) {
  Farm farm;
  for (int job = 1; job <= jobs; ++job) {
    const double drift = 1 + 0.1 * job;
    for (uint32_t block = 1; block <= 2; ++block) {
      farm.Boot(farm.Kernel("6.1"), job, block, 0, 10 * drift);
      farm.Boot(farm.Kernel(absl::StrCat("6.", job + 1)), job, block, 1, 12 * drift);
    }
  }
  return farm;
}

TEST(BuildSeriesTest, TheRatioToTheReferenceOfTheSameBlockTakesDriftOut) {
  const Farm farm = Drifting(5);
  const Series series = BuildSeries(farm.numbers, kTime, {})[0];
  EXPECT_TRUE(series.relative);
  ASSERT_EQ(series.points.size(), 6u);
  EXPECT_EQ(series.points[0].median, 1);
  for (size_t i = 1; i < 6; ++i) EXPECT_NEAR(series.points[i].median, 1.2, 1e-12);
  const Series plain = BuildSeries(farm.numbers, kTime, {.absolute = true})[0];
  EXPECT_FALSE(plain.relative);
  EXPECT_NEAR(plain.points[5].median, 18, 1e-12);
  const std::vector<Point> control = ControlSeries(farm.numbers);
  ASSERT_EQ(control.size(), 5u);
  EXPECT_NEAR(control[4].median, 15, 1e-12);
}

TEST(BuildSeriesTest, AMetricThatCanBe0IsRelatedByDifference) {
  Farm farm = Drifting(3);
  for (BootNumber& boot : farm.numbers.boots) boot.median = boot.variant == 0 ? 0 : 2;
  const statistics::Metric share = statistics::MakeMetric(
      "x", statistics::Direction::kHigherIsBetter, statistics::Scale::kDifference, "%");
  EXPECT_THAT(Values(BuildSeries(farm.numbers, share, {})[0]), ElementsAre(0, 2, 2, 2));
}

TEST(BuildSeriesTest, BootsWithoutAReferenceAreLeftOutOrAllAreAbsolute) {
  Farm farm = Drifting(5);
  farm.Boot(farm.Kernel("6.9"), 9, 1, 1, 100);
  Series series = BuildSeries(farm.numbers, kTime, {})[0];
  EXPECT_TRUE(series.relative);
  EXPECT_EQ(series.left_out, 1u);
  for (int i = 10; i < 14; ++i) farm.Boot(farm.Kernel(absl::StrCat("6.", i)), i, 1, 1, 100);
  series = BuildSeries(farm.numbers, kTime, {})[0];
  EXPECT_FALSE(series.relative) << "most kernels were never beside it";
  EXPECT_EQ(series.left_out, 0u);
}

TEST(PinnedReferenceTest, RecursInThreeJobs) {
  EXPECT_EQ(PinnedReference(Drifting(2).numbers), std::nullopt);
  const Farm farm = Drifting(3);
  EXPECT_EQ(farm.numbers.kernels[PinnedReference(farm.numbers).value()].version, "6.1");
}

struct RangeCase {
  std::string name;
  SeriesOptions options;
  std::vector<std::string> want;
};
class RangeTest : public testing::TestWithParam<RangeCase> {};
TEST_P(RangeTest, OfVersionsAndNames) {
  Farm farm;
  for (const char* version : {"6.1.9-1", "6.2-rc1", "6.2", "6.2.7-1", "6.10"}) {
    farm.Boot(farm.Kernel(version), 1, 1, 1, 10);
  }
  const std::vector<Series> all = BuildSeries(farm.numbers, kTime, GetParam().options);
  EXPECT_EQ(all.empty() ? std::vector<std::string>() : Versions(farm.numbers, all[0]),
            GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    , RangeTest,
    testing::ValuesIn<RangeCase>({
        {"All", {}, {"6.1.9-1", "6.2-rc1", "6.2", "6.2.7-1", "6.10"}},
        {"Since", {.since = "6.2"}, {"6.2", "6.2.7-1", "6.10"}},
        {"UntilHoldsItsStables", {.until = "6.2"}, {"6.1.9-1", "6.2-rc1", "6.2", "6.2.7-1"}},
        {"Names", {.since = "debian-6.2", .until = "debian-6.10"}, {"6.2", "6.2.7-1", "6.10"}},
        {"Patterns", {.patterns = {"*-6.1?", "*-6.2"}}, {"6.2", "6.10"}},
        {"Nothing", {.since = "7"}, {}},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace shakedown::history
