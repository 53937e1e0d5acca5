#include "agent/runner/loads/latency_stats.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(LatencyStatsTest, PackedAndUnpackedIsTheSame) {
  std::mt19937_64 random(3);
  LatencyStats stats;
  for (int i = 0; i < 3000; ++i) stats.Add(random() >> (20 + random() % 40));
  const LatencyStats same = LatencyStats::Unpack(stats.Pack()).value();
  EXPECT_EQ(same.histogram(), stats.histogram());
  EXPECT_EQ(same.total(), stats.total());
  EXPECT_EQ(same.max(), stats.max());
  EXPECT_EQ(same.StandardDeviation(), stats.StandardDeviation());
  EXPECT_EQ(same.InterbenchSd(), stats.InterbenchSd());
  EXPECT_EQ(LatencyStats::Unpack(LatencyStats().Pack()).value().n(), 0u);
}

TEST(LatencyStatsTest, WhatIsNotWholeIsRefused) {
  LatencyStats stats;
  stats.Add(5);
  stats.Add(70000);
  const std::string bytes = stats.Pack();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(LatencyStats::Unpack(bytes.substr(0, size)).status().code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
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
