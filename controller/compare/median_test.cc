#include "controller/compare/median.h"

#include <gtest/gtest.h>

#include <limits>

namespace shakedown::compare {
namespace {

TEST(MedianTest, Table) {
  EXPECT_EQ(Median({}), std::nullopt);
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7, 7, 7, 1}), 7);
  const double max = std::numeric_limits<double>::max();
  EXPECT_EQ(Median({max, max}), max) << "the mean of two must not overflow";
}

TEST(ChangePercentTest, Table) {
  EXPECT_EQ(ChangePercent(20, 19), -5);
  EXPECT_EQ(ChangePercent(20, 20), 0);
  EXPECT_EQ(ChangePercent(-10, -5), 50);
  EXPECT_EQ(ChangePercent(0, 5), std::nullopt);
  EXPECT_EQ(ChangePercent(1e-300, 1e300), std::nullopt);
}

}  // namespace
}  // namespace shakedown::compare
