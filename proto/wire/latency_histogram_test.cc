#include "proto/wire/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace shakedown {
namespace {

std::vector<uint64_t> Latencies(uint64_t seed, size_t n) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = random() >> (20 + random() % 44);
  return values;
}

LatencyHistogram Of(const std::vector<uint64_t>& values) {
  LatencyHistogram histogram;
  for (uint64_t value : values) histogram.Add(value);
  return histogram;
}

TEST(LatencyHistogramTest, MergeIsTheUnion) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<uint64_t> a = Latencies(seed, 500);
    const std::vector<uint64_t> b = Latencies(seed + 100, 300);
    std::vector<uint64_t> both = a;
    both.insert(both.end(), b.begin(), b.end());
    LatencyHistogram merged = Of(a);
    merged.Merge(Of(b));
    EXPECT_EQ(merged, Of(both));
    LatencyHistogram other_way = Of(b);
    other_way.Merge(Of(a));
    EXPECT_EQ(merged, other_way);
    LatencyHistogram same = Of(a);
    same.Merge(LatencyHistogram());
    EXPECT_EQ(same, Of(a));
  }
}

TEST(LatencyHistogramTest, QuantilesToThreeDigits) {
  std::vector<uint64_t> values = Latencies(1, 20000);
  const LatencyHistogram histogram = Of(values);
  std::sort(values.begin(), values.end());
  for (const double q : {0.001, 0.5, 0.95, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(q * 20000 - 1e-6));
    const auto truth = static_cast<double>(values[rank - 1]);
    const auto got = static_cast<double>(*histogram.Quantile(q));
    EXPECT_GE(got, truth);
    EXPECT_LE(got, truth * 1.001);
  }
  EXPECT_EQ(histogram.Quantile(1), values.back());
}

TEST(LatencyHistogramTest, SmallestValueWithEnoughBelow) {
  const LatencyHistogram histogram = Of({10, 20, 30, 40});
  EXPECT_EQ(histogram.Quantile(0.25), 10u);
  EXPECT_EQ(histogram.Quantile(0.26), 20u);
  EXPECT_EQ(histogram.Quantile(0.5), 20u);
  EXPECT_EQ(histogram.Quantile(0), 10u);
  EXPECT_EQ(LatencyHistogram().Quantile(0.5), std::nullopt);
}

TEST(LatencyHistogramTest, ShownOnlyWithTenBeyond) {
  LatencyHistogram histogram;
  histogram.Add(5, 199);
  EXPECT_EQ(histogram.ShownQuantile(0.95), std::nullopt);
  histogram.Add(5);
  EXPECT_EQ(histogram.ShownQuantile(0.95), 5u);
  EXPECT_TRUE(EnoughForQuantile(1000, 0.99));
  EXPECT_FALSE(EnoughForQuantile(999, 0.99));
  EXPECT_TRUE(EnoughForQuantile(10000, 0.999));
  EXPECT_FALSE(EnoughForQuantile(9999, 0.999));
}

TEST(LatencyHistogramTest, BucketsRestoreIt) {
  const LatencyHistogram histogram = Of(Latencies(5, 400));
  LatencyHistogram restored;
  for (const auto& bucket : histogram.Buckets()) restored.Add(bucket.smallest, bucket.count);
  restored.SetMax(histogram.Max());
  EXPECT_EQ(restored, histogram);
}

TEST(LatencyHistogramTest, EndsOfTheScale) {
  LatencyHistogram histogram;
  histogram.Add(0);
  histogram.Add(UINT64_MAX);
  EXPECT_EQ(histogram.Quantile(0.5), 0u);
  EXPECT_EQ(histogram.Quantile(1), UINT64_MAX);
  EXPECT_EQ(histogram.Count(), 2u);
}

TEST(LatencyHistogramTest, MeanOfTheWorst) {
  LatencyHistogram histogram;
  histogram.Add(100, 990);
  histogram.Add(1000, 5);
  histogram.Add(2000, 5);
  EXPECT_DOUBLE_EQ(*histogram.MeanOfWorst(0.01), 1500);
  EXPECT_EQ(LatencyHistogram().MeanOfWorst(), std::nullopt);
}

TEST(LatencyHistogramTest, ReservedIsTheSame) {
  LatencyHistogram reserved = Of({5});
  reserved.Reserve(uint64_t{1} << 36);
  EXPECT_EQ(reserved, Of({5}));
  reserved.Add(70000);
  EXPECT_EQ(reserved, Of({5, 70000}));
}

}  // namespace
}  // namespace shakedown
