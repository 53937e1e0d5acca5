// Bisects by hand, step by step.
#include "controller/history/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controller/history/bisect_problem_testing.h"

namespace shakedown::history {
namespace {

using ::testing::HasSubstr;
using Kind = BisectTrial::Kind;
using Ending = BisectTrial::Ending;
using Next = BisectNext::Kind;

// Plays one bisect by hand.
class Bench {
 public:
  explicit Bench(size_t n) : problem(ListProblem(n)) {
    facts.identity.resize(n);
    facts.built.resize(n);
  }
  BisectNext Next() const { return NextInBisect(problem, facts); }
  // Begins what is asked for and ends it.
  void Do(Ending ending, double value = 0, double spread = 0.004) {
    const BisectNext next = Next();
    ASSERT_EQ(next.kind, BisectNext::Kind::kMeasure) << next.text;
    BisectTrial trial = next.trial;
    trial.ending = ending;
    if (ending == Ending::kMeasured) {
      for (uint32_t i = 0; i < trial.blocks; ++i) {
        trial.differences.push_back(value + (i % 2 == 0 ? spread : -spread));
      }
      trial.boots = 2 * trial.blocks;
    }
    facts.trials.push_back(trial);
  }
  void Ends() { Do(Ending::kMeasured, 0.1); }
  BisectProblem problem;
  BisectFacts facts;
};

TEST(BisectTest, FindsTheCulpritAndVerifiesIt) {
  Bench bench(16);
  bench.Ends();
  constexpr uint32_t kCulprit = 11;
  BisectNext next = bench.Next();
  while (next.kind == Next::kMeasure) {
    const bool bad = next.trial.candidate >= kCulprit && next.trial.base < kCulprit;
    bench.Do(Ending::kMeasured, bad ? 0.1 : 0);
    next = bench.Next();
  }
  EXPECT_EQ(next.kind, Next::kFound) << next.text;
  EXPECT_EQ(next.culprit, kCulprit);
  EXPECT_GE(next.confidence, 0.95);
  EXPECT_EQ(next.steps.back().kind, Kind::kVerify);
  EXPECT_EQ(next.steps.back().base, kCulprit - 1);
  EXPECT_LE(next.steps.size(), 8u);
  EXPECT_THAT(next.text, HasSubstr("k11: 9"));
}

TEST(BisectTest, FirstQuestionIsTheMiddle) {
  Bench bench(16);
  bench.Ends();
  const BisectNext next = bench.Next();
  EXPECT_EQ(next.trial.kind, Kind::kCandidate);
  EXPECT_NEAR(next.trial.candidate, 8, 1);
  EXPECT_EQ(next.trial.base, 0u);
}

TEST(BisectTest, ABuiltKernelIsCheaper) {
  Bench bench(64);
  bench.Ends();
  bench.facts.built[24] = true;
  EXPECT_EQ(bench.Next().trial.candidate, 24u);
  bench.problem.build_boots = 0;
  EXPECT_NEAR(bench.Next().trial.candidate, 32, 1);
}

TEST(BisectTest, EndsThatDoNotDifferAreRefused) {
  Bench bench(16);
  bench.Do(Ending::kMeasured, 0.0);
  EXPECT_EQ(bench.Next().kind, Next::kRefused);
  EXPECT_THAT(bench.Next().text, HasSubstr("k0 and k15 do not differ by 4.1 % or more"));
}

TEST(BisectTest, EndsThatAreOneBuildAreRefused) {
  Bench bench(16);
  bench.facts.identity.front() = bench.facts.identity.back() = "x";
  EXPECT_EQ(bench.Next().kind, Next::kRefused);
  EXPECT_THAT(bench.Next().text, HasSubstr("the same build"));
}

TEST(BisectTest, FarmFailuresNeverMoveIt) {
  Bench bench(16);
  bench.Ends();
  const BisectNext before = bench.Next();
  for (int i = 0; i < 3; ++i) bench.Do(Ending::kFarmFailed);
  const BisectNext after = bench.Next();
  EXPECT_EQ(after.kind, Next::kMeasure);
  EXPECT_EQ(after.trial.candidate, before.trial.candidate);
  EXPECT_EQ(after.trial.blocks, before.trial.blocks) << "they use up no round";
  EXPECT_EQ(after.confidence, before.confidence);
  EXPECT_EQ(after.suspects.low, before.suspects.low);
  for (int i = 0; i < 2; ++i) bench.Do(Ending::kFarmFailed);
  EXPECT_EQ(bench.Next().kind, Next::kCannotSay);
  EXPECT_THAT(bench.Next().text, HasSubstr("the farm failed 5 jobs"));
}

TEST(BisectTest, CanNotSayGetsMoreBlocksThenASkip) {
  Bench bench(16);
  bench.Ends();
  const uint32_t candidate = bench.Next().trial.candidate;
  std::vector<uint32_t> blocks;
  while (bench.Next().trial.candidate == candidate) {
    blocks.push_back(bench.Next().trial.blocks);
    bench.Do(Ending::kMeasured, 0.05, 0.05);
  }
  EXPECT_THAT(blocks, testing::ElementsAre(4, 4, 8, 8));
  EXPECT_EQ(bench.Next().steps.back().answer, BisectStep::Answer::kSkip);
  EXPECT_THAT(bench.Next().steps.back().text, HasSubstr("not to be told apart"));
}

TEST(BisectTest, ACulpritAmongThoseThatDoNotBuildIsAnInterval) {
  Bench bench(16);
  bench.Ends();
  BisectNext next = bench.Next();
  while (next.kind == Next::kMeasure) {
    const uint32_t candidate = next.trial.candidate;
    if (candidate >= 6 && candidate <= 9) {
      bench.Do(Ending::kCandidateFailed);
    } else {
      bench.Do(Ending::kMeasured, candidate >= 8 ? 0.1 : 0);
    }
    next = bench.Next();
  }
  EXPECT_EQ(next.kind, Next::kCannotSay) << next.text;
  EXPECT_EQ(next.suspects.low, 6u);
  EXPECT_EQ(next.suspects.high, 10u);
  EXPECT_LT(next.confidence, 0.95);
}

TEST(BisectTest, TheSameBuildIsSkippedForFree) {
  Bench bench(16);
  bench.Ends();
  BisectTrial trial = bench.Next().trial;
  bench.facts.trials.push_back(trial);
  EXPECT_EQ(bench.Next().kind, Next::kWait);
  bench.facts.identity[0] = bench.facts.identity[trial.candidate] = "same";
  const BisectNext drop = bench.Next();
  EXPECT_EQ(drop.kind, Next::kDrop);
  EXPECT_EQ(drop.trial.same_as, 0u);
  bench.facts.trials.back() = drop.trial;
  bench.facts.trials.back().ending = Ending::kIdentical;
  const BisectNext next = bench.Next();
  EXPECT_EQ(next.kind, Next::kMeasure);
  EXPECT_GT(next.trial.candidate, trial.candidate);
  EXPECT_EQ(next.suspects.low, trial.candidate + 1) << "what is between them can not be it";
  EXPECT_EQ(next.steps.back().answer, BisectStep::Answer::kIdentical);
  EXPECT_EQ(next.boots, 16u);
}

TEST(BisectTest, WhatItHasMeasuredIsNotDropped) {
  Bench bench(16);
  bench.Ends();
  const uint32_t candidate = bench.Next().trial.candidate;
  bench.Do(Ending::kMeasured, 0.05);
  bench.facts.trials.push_back(bench.Next().trial);
  bench.facts.identity[0] = bench.facts.identity[candidate] = "same";
  EXPECT_EQ(bench.Next().kind, Next::kWait);
}

// Two changes, at 3 and at 5: nobody's step is the whole.
BisectNext TwoChanges(double second, double spread) {
  Bench bench(8);
  bench.Ends();
  BisectNext next = bench.Next();
  while (next.kind == Next::kMeasure) {
    const uint32_t c = next.trial.candidate;
    const bool verify = next.trial.kind == Kind::kVerify;
    bench.Do(Ending::kMeasured,
             verify   ? second
             : c >= 5 ? 0.1
             : c >= 3 ? 0.03
                      : 0,
             verify ? spread : 0.004);
    next = bench.Next();
  }
  return next;
}

TEST(BisectTest, ACulpritThatDoesNotShowAgainstItsParentIsNotNamed) {
  const BisectNext next = TwoChanges(0.05, 0.05);
  EXPECT_EQ(next.kind, Next::kCannotSay);
  EXPECT_THAT(next.text, HasSubstr("k5 is the likeliest, but"));
  EXPECT_THAT(next.text, HasSubstr("more than one change"));
}

TEST(BisectTest, DoesNotGoInCirclesAroundACulpritWhoseParentIsAsBad) {
  const BisectNext next = TwoChanges(0, 0.004);
  EXPECT_EQ(next.kind, Next::kCannotSay);
  EXPECT_THAT(next.text, HasSubstr("k5 is the likeliest, but twice it did not differ from k4"));
  EXPECT_LT(next.boots, 200u);
}

TEST(BisectTest, ACulpritOfHalfTheChangeIsNamedAsSuch) {
  const BisectNext next = TwoChanges(0.065, 0.004);
  EXPECT_EQ(next.kind, Next::kFound);
  EXPECT_EQ(next.culprit, 5u);
  EXPECT_THAT(next.text, HasSubstr("65 % of what lies between the ends: there may be more"));
}

TEST(BisectTest, ItsBootsAreBounded) {
  Bench bench(16);
  bench.problem.max_boots = 20;
  bench.Ends();
  EXPECT_EQ(bench.Next().kind, Next::kCannotSay);
  EXPECT_THAT(bench.Next().text, HasSubstr("its 20 boots are spent: 16"));
}

TEST(BisectTest, BrokenEndsAreRefused) {
  Bench bench(16);
  bench.Do(Ending::kBaseFailed);
  EXPECT_EQ(bench.Next().kind, Next::kRefused);
  EXPECT_THAT(bench.Next().text, HasSubstr("k0 does not build, boot"));
}

}  // namespace
}  // namespace shakedown::history
