#include "controller/compare/statistics/classic_asterisk.h"

#include <gtest/gtest.h>

namespace shakedown::statistics {
namespace {

Metric Latency() { return *FindMetric("interbench.video.burn.latency.avg"); }
Metric DeadlinesMet() { return *FindMetric("interbench.video.burn.deadlines_met"); }

struct StarCase {
  std::string name;
  Metric metric;
  double base;
  double challenger;
  Side side;
};

class ClassicStarTest : public testing::TestWithParam<StarCase> {};

TEST_P(ClassicStarTest, GoesToTheBetterSide) {
  const auto& [name, metric, base, challenger, side] = GetParam();
  EXPECT_EQ(ClassicStar(metric, base, challenger), side);
}

// Values of the 2010 post; the rule as it is worded, not the stars as they were set.
INSTANTIATE_TEST_SUITE_P(, ClassicStarTest,
                         testing::ValuesIn<StarCase>({
                             {"Equal", Latency(), 0.0, 0.0, Side::kNone},
                             {"NoFloor", Latency(), 0.1, 0.0, Side::kChallenger},
                             {"Challenger", Latency(), 11.5, 0.0, Side::kChallenger},
                             {"Base", Latency(), 32.7, 72.4, Side::kBase},
                             {"ExactlyFivePercent", Latency(), 2.0, 1.9, Side::kChallenger},
                             {"ExactlyFiveMilliseconds", Latency(), 130.3, 125.3,
                              Side::kChallenger},
                             {"Neither", Latency(), 81.8, 80.0, Side::kNone},
                             {"HigherIsBetter", DeadlinesMet(), 7.28, 8.63, Side::kChallenger},
                             {"TooLittle", DeadlinesMet(), 99.8, 100, Side::kNone},
                             {"FivePoints", DeadlinesMet(), 95, 100, Side::kChallenger},
                             {"HigherIsBetterBase", DeadlinesMet(), 27.7, 22.8, Side::kBase},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(DefaultStarsTest, BracketsWhatOnlyTheClassicRuleStars) {
  EXPECT_EQ(DefaultStars(Latency(), 10, 5, Verdict::kBetter).challenger, "*");
  EXPECT_EQ(DefaultStars(Latency(), 10, 5, Verdict::kInconclusive).challenger, "(*)");
  EXPECT_EQ(DefaultStars(Latency(), 10, 5, Verdict::kInsufficient).challenger, "(*)");
  EXPECT_EQ(DefaultStars(Latency(), 5, 10, Verdict::kInconclusive).base, "(*)");
  EXPECT_EQ(DefaultStars(Latency(), 5, 10, Verdict::kWorse).base, "");
  EXPECT_EQ(DefaultStars(Latency(), 10, 10, Verdict::kSame).challenger, "");
  EXPECT_EQ(DefaultStars(Latency(), 10, 5, Verdict::kNotComparable).challenger, "");
}

}  // namespace
}  // namespace shakedown::statistics
