#include "controller/compare/statistics/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shakedown::statistics {
namespace {

// An effect as if it had been measured on so many blocks.
Effect Measured(double estimate, double lo, double hi, double p, int64_t blocks = 8,
                double base_median = 100) {
  Effect effect{};
  effect.paired = true;
  effect.n_base = effect.n_challenger = blocks;
  effect.base_median = base_median;
  effect.estimate = estimate;
  effect.interval = Interval{lo, hi};
  effect.level = effect.attained = 0.95;
  effect.p = p;
  return effect;
}

Metric Seconds(Direction direction = Direction::kLowerIsBetter) {
  return MakeMetric("m", direction, Scale::kRatio, "s", 0, Role::kPrimary);
}
Metric Milliseconds(Role role = Role::kPrimary) {
  return MakeMetric("m", Direction::kLowerIsBetter, Scale::kDifference, "ms", 0.1, role);
}

struct VerdictCase {
  std::string name;
  Metric metric;
  Effect effect;
  Verdict verdict;
  char mark;
};

class VerdictTest : public testing::TestWithParam<VerdictCase> {};

TEST_P(VerdictTest, OfOneMetric) {
  const VerdictCase& test = GetParam();
  const std::vector<Judgement> judgements = Judge({{{test.metric, test.effect}}}, {});
  EXPECT_EQ(VerdictName(judgements[0].verdict), VerdictName(test.verdict));
  EXPECT_EQ(judgements[0].mark, test.mark);
}

INSTANTIATE_TEST_SUITE_P(
    , VerdictTest,
    testing::ValuesIn<VerdictCase>({
        {"LargeGain", Seconds(), Measured(-0.08, -0.1, -0.06, 0.0078), Verdict::kBetter, '*'},
        {"LargeLoss", Seconds(), Measured(0.08, 0.06, 0.1, 0.0078), Verdict::kWorse, '!'},
        {"HigherIsBetter", Seconds(Direction::kHigherIsBetter), Measured(0.08, 0.06, 0.1, 0.0078),
         Verdict::kBetter, '*'},
        {"HigherIsBetterLoss", Seconds(Direction::kHigherIsBetter),
         Measured(-0.08, -0.1, -0.06, 0.0078), Verdict::kWorse, '!'},
        {"AtTheThreshold", Seconds(), Measured(-0.05, -0.07, -0.01, 0.0078), Verdict::kBetter, '*'},
        {"SmallGain", Seconds(), Measured(-0.04, -0.06, -0.01, 0.0078), Verdict::kSmall, '+'},
        {"SmallLoss", Seconds(), Measured(0.04, 0.01, 0.06, 0.0078), Verdict::kSmall, '-'},
        {"Same", Seconds(), Measured(0.001, -0.02, 0.03, 0.7), Verdict::kSame, '='},
        {"SameThoughNotZero", Seconds(), Measured(0.02, 0.01, 0.03, 0.0078), Verdict::kSame, '='},
        {"Wide", Seconds(), Measured(-0.04, -0.09, 0.03, 0.1), Verdict::kInconclusive, '?'},
        {"IntervalWithoutTest", Seconds(), Measured(-0.08, -0.1, -0.06, 0.06),
         Verdict::kInconclusive, '?'},
        {"FiveBlocks", Seconds(), Measured(-0.5, -0.6, -0.4, 0.0625, 5), Verdict::kInsufficient,
         '.'},
        {"SevenBlocksArePreliminary", Seconds(), Measured(-0.5, -0.6, -0.4, 0.0156, 7),
         Verdict::kInconclusive, ' '},
        // 5 ms of 200 ms is 2.5 %, and yet large.
        {"FiveMilliseconds", Milliseconds(), Measured(-5, -6, -1, 0.0078, 8, 200), Verdict::kBetter,
         '*'},
        // Half of next to nothing: the floor is 0.2 ms.
        {"BelowTheFloor", Milliseconds(), Measured(-0.1, -0.15, -0.05, 0.0078, 8, 0.2),
         Verdict::kSame, '='},
        {"FromZero", Milliseconds(), Measured(0.3, 0.2, 0.4, 0.0078, 8, 0), Verdict::kWorse, '!'},
        {"AllEqual", Milliseconds(), Measured(0, 0, 0, 1, 8, 0), Verdict::kSame, '='},
    }),
    [](const auto& test) { return test.param.name; });

TEST(JudgeTest, UnpairedNeedsFourOnEachSide) {
  Effect effect = Measured(-0.08, -0.1, -0.06, 0.03, 4);
  effect.paired = false;
  EXPECT_EQ(Judge({{{Seconds(), effect}}}, {})[0].verdict, Verdict::kBetter);
  effect.n_challenger = 3;
  EXPECT_EQ(Judge({{{Seconds(), effect}}}, {})[0].verdict, Verdict::kInsufficient);
}

TEST(JudgeTest, NotComparableWinsOverEverything) {
  Candidate candidate{Seconds(), Measured(-0.5, -0.6, -0.4, 0.0078)};
  candidate.not_comparable = "another machine";
  const Judgement judgement = Judge({{candidate}}, {})[0];
  EXPECT_EQ(judgement.verdict, Verdict::kNotComparable);
  EXPECT_EQ(judgement.mark, 'x');
  EXPECT_EQ(judgement.note, "another machine");
  EXPECT_FALSE(judgement.p_adjusted.has_value());
}

TEST(JudgeTest, FailingMoreIsNeverBetter) {
  Candidate candidate{Seconds(), Measured(-0.5, -0.6, -0.4, 0.0078)};
  candidate.challenger_fails_more = true;
  EXPECT_EQ(Judge({{candidate}}, {})[0].verdict, Verdict::kInconclusive);
  candidate.effect = Measured(0.5, 0.4, 0.6, 0.0078);
  EXPECT_EQ(Judge({{candidate}}, {})[0].verdict, Verdict::kWorse);
}

TEST(JudgeTest, HolmOverPrimariesOnly) {
  Candidate primary{Seconds(), Measured(-0.08, -0.1, -0.06, 0.03)};
  Candidate info{Milliseconds(Role::kInfo), Measured(1, 0, 2, 0.04)};
  const std::vector<Judgement> two = Judge({{primary, primary, info}}, {});
  EXPECT_DOUBLE_EQ(*two[0].p_adjusted, 0.06);
  EXPECT_EQ(two[0].verdict, Verdict::kInconclusive);
  EXPECT_FALSE(two[2].p_adjusted.has_value());
  EXPECT_EQ(two[2].mark, ' ');
  EXPECT_EQ(Judge({{primary, info}}, {})[0].verdict, Verdict::kBetter);
}

TEST(JudgeTest, AFamilyDoesNotShrinkWhenOneIsHardlyMeasured) {
  const Candidate primary{Seconds(), Measured(-0.08, -0.1, -0.06, 0.03)};
  const Candidate few{Seconds(), Measured(-0.08, -0.1, -0.06, 0.5, 2)};
  const std::vector<Judgement> judgements = Judge({{primary, few}}, {});
  EXPECT_DOUBLE_EQ(*judgements[0].p_adjusted, 0.06);
  EXPECT_EQ(judgements[1].verdict, Verdict::kInsufficient);
  EXPECT_DOUBLE_EQ(*judgements[1].p_adjusted, 0.5);
}

TEST(JudgeTest, LookLevelBindsPrimaries) {
  const Candidate primary{Seconds(), Measured(-0.08, -0.1, -0.06, 0.03)};
  EXPECT_EQ(Judge({{primary}}, {.primary_level = kPocockLevel})[0].verdict, Verdict::kInconclusive);
}

TEST(JudgeTest, ALoneSecondaryAmongThirtyCannotReach) {
  std::vector<Candidate> candidates(
      30, Candidate{Milliseconds(Role::kSecondary), Measured(1, -9, 9, 0.5)});
  candidates[3].effect = Measured(-9, -12, -6, 2.0 / 256);
  const Judgement judgement = Judge(candidates, {})[3];
  EXPECT_EQ(judgement.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(judgement.cannot_reach);
  EXPECT_EQ(judgement.note,
            "cannot reach: a lone difference among 30 secondary metrics needs 11 or more blocks");
  // Eleven blocks can.
  for (Candidate& candidate : candidates) candidate.effect->n_base = 11;
  candidates[3].effect = Measured(-9, -12, -6, 2.0 / 2048, 11);
  EXPECT_EQ(Judge(candidates, {})[3].verdict, Verdict::kBetter);
}

TEST(JudgeTest, StopsWhenAllPrimariesAreDecided) {
  const Candidate decided{Seconds(), Measured(-0.08, -0.1, -0.06, 0.0078)};
  const Candidate open{Seconds(), Measured(-0.04, -0.09, 0.03, 0.1)};
  const Candidate secondary{Milliseconds(Role::kSecondary), Measured(1, -9, 9, 0.5)};
  const auto decided_of = [](const std::vector<Candidate>& candidates) {
    return AllPrimariesDecided(candidates, Judge(candidates, {}));
  };
  EXPECT_TRUE(decided_of({decided, secondary}));
  EXPECT_FALSE(decided_of({decided, open}));
  EXPECT_FALSE(decided_of({{Seconds(), std::nullopt}}));
}

TEST(LooksTest, ThreeLooksAndQuick) {
  EXPECT_EQ(ThreeLooks().LookAfter(8), 1);
  EXPECT_EQ(ThreeLooks().LookAfter(24), 3);
  EXPECT_EQ(ThreeLooks().LookAfter(9), std::nullopt);
  EXPECT_FALSE(ThreeLooks().IsLast(16));
  EXPECT_TRUE(ThreeLooks().IsLast(24));
  EXPECT_DOUBLE_EQ(ThreeLooks().level, 0.9779);
  EXPECT_TRUE(QuickLook().IsLast(8));
  EXPECT_DOUBLE_EQ(QuickLook().level, 0.95);
}

}  // namespace
}  // namespace shakedown::statistics
