#include "agent/runner/loads/latency_stats.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(HistogramTest, ExactBelow64) {
  Histogram h;
  for (uint64_t v = 0; v < 64; ++v) h.Add(v);
  EXPECT_EQ(h.Count(), 64u);
  for (uint64_t v = 0; v < 64; ++v) {
    EXPECT_EQ(h.Quantile(static_cast<double>(v + 1) / 64), static_cast<double>(v));
  }
}

TEST(HistogramTest, QuantilesWithinABucketOfTheTruth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> values(8, 2);
  std::vector<uint64_t> all;
  Histogram h;
  for (int i = 0; i < 20001; ++i) {
    all.push_back(static_cast<uint64_t>(values(random)));
    h.Add(all.back());
  }
  std::sort(all.begin(), all.end());
  for (double q : {0.01, 0.5, 0.95, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(all.size())));
    const auto truth = static_cast<double>(all[rank - 1]);
    EXPECT_NEAR(h.Quantile(q), truth, truth / 64 + 0.5) << q;
  }
}

TEST(HistogramTest, MergedEqualsAllInOne) {
  std::mt19937_64 random(3);
  Histogram parts[3], whole;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t value = random() >> (20 + random() % 40);
    parts[i % 3].Add(value);
    whole.Add(value);
  }
  Histogram merged;
  for (const Histogram& part : parts) merged.Merge(part);
  EXPECT_EQ(merged.Count(), whole.Count());
  for (double q = 0.01; q < 1; q += 0.01) EXPECT_EQ(merged.Quantile(q), whole.Quantile(q));
}

TEST(HistogramTest, HugeValuesStayInside) {
  Histogram h;
  h.Add(~uint64_t{0});
  h.Add(uint64_t{1} << 40);
  EXPECT_EQ(h.Count(), 2u);
  EXPECT_GT(h.Quantile(1), 1e12);
}

TEST(LatencyStatsTest, EqualLatenciesPrintAverageAsSd) {
  LatencyStats stats;
  for (int i = 0; i < 100; ++i) stats.Add(1000);
  EXPECT_EQ(stats.FlooredAverage(), 1000u);
  EXPECT_NEAR(stats.InterbenchSd(), 1005, 1);  // "1.0 +/- 1.0" in ms.
  EXPECT_EQ(stats.StandardDeviation(), 0);
  EXPECT_EQ(stats.max(), 1000u);
}

// 2.6.35, Video under Burn: 31.1 % met, the others 16.67 ms late.
TEST(LatencyStatsTest, PublishedRow) {
  LatencyStats stats;
  for (int i = 0; i < 1000; ++i) stats.Add(i < 311 ? 0 : 16666);
  EXPECT_NEAR(static_cast<double>(stats.FlooredAverage()) / 1000, 11.5, 0.05);
  EXPECT_NEAR(stats.InterbenchSd() / 1000, 13.8, 0.05);
  EXPECT_NEAR(stats.StandardDeviation() / 1000, 7.7, 0.05);
}

TEST(LatencyStatsTest, SdNeverBelowAverage) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    LatencyStats stats;
    const uint64_t n = 2 + random() % 50;
    for (uint64_t i = 0; i < n; ++i) stats.Add(random() % 100000);
    EXPECT_GE(stats.InterbenchSd(), static_cast<double>(stats.FlooredAverage()));
    EXPECT_LE(stats.Quantile(0.999), static_cast<double>(stats.max()));
    EXPECT_EQ(stats.histogram().Count(), stats.n());
  }
}

TEST(LatencyStatsTest, FewValues) {
  LatencyStats stats;
  EXPECT_EQ(stats.FlooredAverage(), 0u);
  stats.Add(7);
  EXPECT_EQ(stats.FlooredAverage(), 7u);
  EXPECT_EQ(stats.InterbenchSd(), 0);
  EXPECT_TRUE(std::isnan(stats.StandardDeviation()));
  stats.Add(10);
  EXPECT_EQ(stats.FlooredAverage(), 8u);  // 17 / 2, floored.
  EXPECT_DOUBLE_EQ(stats.Mean(), 8.5);
}

}  // namespace
}  // namespace shakedown::runner
