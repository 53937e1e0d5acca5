#include "agent/runner/loads/samples.h"

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(SamplesTest, RanksAreExact) {
  Samples samples;
  for (uint64_t value = 20; value > 0; --value) samples.Add(value);
  EXPECT_EQ(samples.n(), 20u);
  EXPECT_EQ(samples.Mean(), 10.5);
  EXPECT_EQ(samples.Max(), 20u);
  EXPECT_EQ(samples.Quantile(0.5), 10u);
  EXPECT_EQ(samples.Quantile(0.95), 19u);
  EXPECT_EQ(samples.Quantile(0.99), 20u);
  EXPECT_EQ(samples.Quantile(1), 20u);
  Samples one;
  one.Add(7);
  EXPECT_EQ(one.Quantile(0.01), 7u);
}

TEST(SamplesTest, BucketsAsTheComparisonCutsThem) {
  Samples samples;
  for (const uint64_t value : {0, 2047, 2047, 2048, 2049, 4095, 4096, 4099, 4100}) {
    samples.Add(value);
  }
  v1::LatencyHistogram histogram;
  samples.Fill(histogram);
  const std::vector<uint64_t> smallest(histogram.smallest().begin(), histogram.smallest().end());
  const std::vector<uint64_t> count(histogram.count().begin(), histogram.count().end());
  EXPECT_EQ(smallest, (std::vector<uint64_t>{0, 2047, 2048, 4094, 4096, 4100}));
  EXPECT_EQ(count, (std::vector<uint64_t>{1, 2, 2, 1, 2, 1}));
  EXPECT_EQ(histogram.max(), 4100u);
}

}  // namespace
}  // namespace shakedown::runner
