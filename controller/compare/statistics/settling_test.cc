#include "controller/compare/statistics/settling.h"

#include <gtest/gtest.h>

namespace shakedown::statistics {
namespace {

Effect Of(double estimate, double half_width, int64_t blocks) {
  Effect effect;
  effect.estimate = estimate;
  effect.interval = Interval{estimate - half_width, estimate + half_width};
  effect.base_median = 100;
  effect.n_base = blocks;
  return effect;
}

const Metric kSeconds = MakeMetric("make.real", Direction::kLowerIsBetter, Scale::kRatio, "s");

TEST(BlocksToSettle, FourTimesTheBlocksHalveTheInterval) {
  // 0 +/- 9.9 %: within 5 % needs (9.9 / 5)^2 = 3.92 times the 8 blocks.
  EXPECT_EQ(BlocksToSettle(kSeconds, Of(0, 0.099, 8)), 24);
  // 10 % +/- 15.1 %: without 0 above 2.28 times.
  EXPECT_EQ(BlocksToSettle(kSeconds, Of(0.10, 0.151, 8)), 11);
}

TEST(BlocksToSettle, WhatIsNearlyClearWantsOneMore) {
  EXPECT_EQ(BlocksToSettle(kSeconds, Of(0.10, 0.1001, 24)), 1);
}

TEST(BlocksToSettle, NoNumberWithoutAnIntervalOrAnEnd) {
  Effect effect = Of(0, 0.1, 8);
  effect.interval.reset();
  EXPECT_EQ(BlocksToSettle(kSeconds, effect), std::nullopt);
  EXPECT_EQ(BlocksToSettle(kSeconds, Of(0.0, 5.0, 6)), std::nullopt);
}

}  // namespace
}  // namespace shakedown::statistics
