#include "controller/compare/statistics/latency_histogram.h"

#include <gtest/gtest.h>

namespace shakedown::statistics {
namespace {

TEST(WhyMaximaDifferTest, TenPercent) {
  EXPECT_EQ(WhyMaximaDiffer(100, 90, 30, 30), std::nullopt);
  EXPECT_TRUE(WhyMaximaDiffer(192, 160, 30, 30).has_value());  // The 2009 post.
  EXPECT_TRUE(WhyMaximaDiffer(100, 100, 30, 34).has_value());
}

}  // namespace
}  // namespace shakedown::statistics
