// Repetitions, stability, survival, Welch on logs, the large cases of the median's interval.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/repetitions.h"
#include "controller/compare/statistics/stability.h"
#include "controller/compare/statistics/survival.h"
#include "controller/compare/statistics/welch.h"
#include "controller/plan/split_mix.h"

namespace shakedown::statistics {
namespace {

using Numbers = std::vector<double>;

TEST(DescriptiveTest, NothingHasNoMiddle) {
  EXPECT_TRUE(std::isnan(Median(Numbers{})));
  EXPECT_TRUE(std::isnan(Mean(Numbers{})));
  EXPECT_TRUE(std::isnan(StandardDeviation(Numbers{1})));
  EXPECT_FALSE(GeometricMean(Numbers{1, 0}).has_value());
}

TEST(MedianConfidenceTest, LargeSamples) {
  Numbers values(100001);
  std::iota(values.begin(), values.end(), 0);
  const MedianInterval interval = MedianConfidence(values, 0.95);
  EXPECT_EQ(interval.median, 50000);
  EXPECT_GE(interval.attained, 0.95);
  EXPECT_LT(interval.attained, 0.953);
  // 1.96 * sqrt(n) / 2 to either side.
  EXPECT_NEAR(*interval.lo, 50000 - 310, 2);
  EXPECT_NEAR(*interval.hi, 50000 + 310, 2);
}

TEST(WelchOnLogsTest, IsARatio) {
  const auto test = WelchOnLogs(Numbers{100, 110, 90}, Numbers{200, 220, 180});
  ASSERT_TRUE(test.has_value());
  EXPECT_NEAR(test->difference, 2, 1e-12);
  EXPECT_LT(test->lo, 2);
  EXPECT_GT(test->hi, 2);
  EXPECT_FALSE(WelchOnLogs(Numbers{0, 1}, Numbers{1, 2}).has_value());
}

TEST(PlanRepetitionsTest, WeighsSpreadAgainstCost) {
  // Inside a boot: variance 2. Means 10, 14: variance 8, of which 2/2 is the iterations'.
  const auto plan = PlanRepetitions({{9, 11}, {13, 15}}, 10, 70);
  ASSERT_TRUE(plan.has_value());
  EXPECT_DOUBLE_EQ(plan->iteration_variance, 2);
  EXPECT_DOUBLE_EQ(plan->boot_variance, 7);
  EXPECT_EQ(plan->iterations, 2);  // sqrt(7 * 2/7) = 1.41.
}

TEST(PlanRepetitionsTest, StaysInItsLimits) {
  EXPECT_EQ(PlanRepetitions({{5, 5}, {6, 6}}, 1, 100)->iterations, 1);
  EXPECT_EQ(PlanRepetitions({{1, 9}, {1, 9}}, 1, 100)->iterations, kMostIterations);
  EXPECT_FALSE(PlanRepetitions({{1, 2}, {3}}, 1, 1).has_value());
  EXPECT_FALSE(PlanRepetitions({}, 1, 1).has_value());
}

TEST(BlocksToDetectTest, MoreNoiseMoreBlocks) {
  EXPECT_EQ(BlocksToDetect(0.5, 0.03, 0.95, 0.9), 6);  // No fewer can pass.
  const int64_t quiet = BlocksToDetect(0.03, 0.03, 0.95, 0.9);
  const int64_t noisy = BlocksToDetect(0.03, 0.06, 0.95, 0.9);
  EXPECT_GT(quiet, 8);
  EXPECT_GT(noisy, 3 * quiet);
  // The two ways round agree.
  EXPECT_LE(DetectableEffect(quiet, 0.03, 0.95, 0.9), 0.03);
  EXPECT_GT(DetectableEffect(quiet - 1, 0.03, 0.95, 0.9), 0.03);
  EXPECT_TRUE(std::isinf(DetectableEffect(5, 0.03, 0.95, 0.9)));
  EXPECT_GE(BlocksToDetect(0, 0.03, 0.95, 0.9), int64_t{1} << 40);
}

Numbers Uniform(uint64_t seed, size_t n) {
  plan::SplitMix64 random(seed);
  Numbers values(n);
  for (double& value : values) value = static_cast<double>(random.Next() >> 11) * 0x1p-53;
  return values;
}

TEST(FindDriftTest, SeesATrendAndFewOthers) {
  Numbers trend(24);
  std::iota(trend.begin(), trend.end(), 0);
  EXPECT_TRUE(FindDrift(trend)->flagged);
  int flagged = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) flagged += FindDrift(Uniform(seed, 24))->flagged;
  EXPECT_LE(flagged, 25);
  EXPECT_FALSE(FindDrift(Numbers(24, 1.0)).has_value());
  EXPECT_FALSE(FindDrift(Numbers{1, 2, 3}).has_value());
}

// A count that is 0 but for one boot; differences of any size.
TEST(FindDriftTest, OneValueOffTheMedianAndHugeOnes) {
  for (size_t at = 0; at < 8; ++at) {
    Numbers lone(8, 0.0);
    lone[at] = -1;
    const auto drift = FindDrift(lone);
    ASSERT_TRUE(drift.has_value());
    EXPECT_TRUE(std::isnan(drift->runs_p));
    EXPECT_FALSE(drift->flagged);
  }
  Numbers trend(24);
  std::iota(trend.begin(), trend.end(), 0);
  for (const double scale : {2e-100, 1e-3, 2e100}) {
    Numbers scaled = trend;
    for (double& value : scaled) value *= scale;
    EXPECT_NEAR(FindDrift(scaled)->ljung_box_p, FindDrift(trend)->ljung_box_p, 1e-12);
    EXPECT_TRUE(FindDrift(scaled)->flagged);
  }
}

TEST(FindTwoModesTest, SeesTwoHeapsAndNotOne) {
  Numbers heaps = Uniform(1, 24);
  for (size_t i = 0; i < heaps.size(); i += 3) heaps[i] += 5;
  const auto modes = FindTwoModes(heaps);
  ASSERT_TRUE(modes.has_value());
  EXPECT_NEAR(modes->low_share, 2.0 / 3, 1e-12);
  EXPECT_LT(modes->low_center, 1);
  EXPECT_GT(modes->high_center, 5);
  int flagged = 0;
  for (uint64_t seed = 0; seed < 500; ++seed)
    flagged += FindTwoModes(Uniform(seed, 24)).has_value();
  EXPECT_LE(flagged, 15);
  EXPECT_FALSE(FindTwoModes(Numbers(30, 1.0)).has_value());
}

TEST(FirstValueZTest, SlowStart) {
  EXPECT_GT(*FirstValueZ(Numbers{20, 10, 10.1, 9.9, 10.05, 9.95}), 5);
  EXPECT_LT(std::fabs(*FirstValueZ(Numbers{10, 10, 10.1, 9.9, 10.05, 9.95})), 1);
  EXPECT_FALSE(FirstValueZ(Numbers{1, 2, 3}).has_value());
}

TEST(SurvivalTest, ClopperPearson) {
  // R: binom.test(1, 20)$conf.int, binom.test(0, 8), binom.test(8, 8).
  const FailureRate rate = FailuresOf(1, 20);
  EXPECT_NEAR(rate.interval.lo, 0.001265089, 1e-8);
  EXPECT_NEAR(rate.interval.hi, 0.248732762, 1e-8);
  EXPECT_DOUBLE_EQ(FailuresOf(0, 8).interval.lo, 0);
  EXPECT_NEAR(FailuresOf(0, 8).interval.hi, 0.369416648, 1e-8);
  EXPECT_DOUBLE_EQ(FailuresOf(8, 8).interval.hi, 1);
  EXPECT_EQ(FailuresOf(0, 0).interval, (Interval{0, 1}));
}

TEST(SurvivalTest, FailsMore) {
  EXPECT_TRUE(FailsMore(FailuresOf(1, 8), FailuresOf(0, 8)));
  EXPECT_FALSE(FailsMore(FailuresOf(1, 8), FailuresOf(2, 16)));
  EXPECT_FALSE(FailsMore(FailuresOf(0, 8), FailuresOf(1, 8)));
  EXPECT_FALSE(FailsMore(FailuresOf(1, 8), FailuresOf(0, 0)));
}

}  // namespace
}  // namespace shakedown::statistics
