// Whole jobs played with drawn noise and fixed seeds: how often the verdicts are wrong, and right.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "controller/compare/statistics/drawn_noise.h"
#include "controller/compare/statistics/effect.h"
#include "controller/compare/statistics/looks.h"
#include "controller/compare/statistics/mann_whitney.h"
#include "controller/compare/statistics/signed_rank.h"
#include "controller/compare/statistics/verdict.h"

namespace shakedown::statistics {
namespace {

using Noise = DrawnNoise;

struct Job {
  Verdict verdict;
  bool false_alarm;  // Some look's interval excluded 0 and its p passed.
  int64_t blocks;
};

// `draw`: one block's log(challenger / base).
template <typename Draw>
Job Play(const LookPlan& plan, Draw draw) {
  const Metric metric =
      MakeMetric("make.real", Direction::kLowerIsBetter, Scale::kRatio, "s", 0, Role::kPrimary);
  std::vector<double> base;
  std::vector<double> challenger;
  Job job{Verdict::kInconclusive, false, 0};
  while (job.blocks < plan.after_blocks.back()) {
    base.push_back(100);
    challenger.push_back(100 * std::exp(draw()));
    ++job.blocks;
    if (!plan.LookAfter(job.blocks)) continue;
    const std::vector<Candidate> candidates = {
        {metric, ComparePaired(metric, base, challenger, plan.level)}};
    const std::vector<Judgement> judgements = Judge(candidates, {.primary_level = plan.level});
    const Interval interval = *candidates[0].effect->interval;
    job.false_alarm |=
        (interval.lo > 0 || interval.hi < 0) && *judgements[0].p_adjusted <= 1 - plan.level;
    job.verdict = judgements[0].verdict;
    if (AllPrimariesDecided(candidates, judgements)) break;
  }
  return job;
}

// Looks go on to the end here, whatever was decided: the most false alarms the plan can give.
template <typename Draw>
double FalseAlarmRate(const LookPlan& plan, int jobs, Draw draw) {
  int alarms = 0;
  for (int i = 0; i < jobs; ++i) {
    std::vector<double> d;
    bool alarm = false;
    for (int64_t block = 1; block <= plan.after_blocks.back(); ++block) {
      d.push_back(draw());
      if (plan.LookAfter(block)) alarm |= SignedRank(d).p_two_sided <= 1 - plan.level;
    }
    alarms += alarm;
  }
  return static_cast<double>(alarms) / jobs;
}

TEST(SimulationTest, ThreeLooksKeepFivePercent) {
  Noise noise(1);
  constexpr int kJobs = 12000;  // Standard error of a rate of 5 %: 0.2 points.
  EXPECT_LE(FalseAlarmRate(ThreeLooks(), kJobs, [&] { return 0.03 * noise.Normal(); }), 0.05);
  EXPECT_LE(FalseAlarmRate(ThreeLooks(), kJobs, [&] { return 0.03 * noise.T2(); }), 0.05);
  // Spikes hit both sides of a block alike often: the order is drawn.
  EXPECT_LE(
      FalseAlarmRate(ThreeLooks(), kJobs, [&] { return 0.03 * (noise.Spiky() - noise.Spiky()); }),
      0.05);
}

TEST(SimulationTest, LookingAfterEveryBlockDoesNot) {
  Noise noise(2);
  LookPlan every{{}, 0.95};
  for (int64_t block = 6; block <= 24; ++block) every.after_blocks.push_back(block);
  EXPECT_GT(FalseAlarmRate(every, 3000, [&] { return noise.Normal(); }), 0.12);
}

TEST(SimulationTest, WrongVerdictsAreRare) {
  Noise noise(3);
  int wrong = 0;
  int same = 0;
  constexpr int kJobs = 3000;
  for (int i = 0; i < kJobs; ++i) {
    const Job job = Play(ThreeLooks(), [&] { return 0.03 * noise.Normal(); });
    wrong += job.verdict == Verdict::kBetter || job.verdict == Verdict::kWorse;
    same += job.verdict == Verdict::kSame;
  }
  EXPECT_LE(wrong, kJobs * 0.012);
  EXPECT_GE(same, kJobs * 0.98);
}

TEST(SimulationTest, EightPercentIsFoundInEightBlocks) {
  Noise noise(4);
  int found = 0;
  constexpr int kJobs = 2000;
  for (int i = 0; i < kJobs; ++i) {
    const Job job = Play(ThreeLooks(), [&] { return std::log(0.92) + 0.03 * noise.Normal(); });
    found += job.verdict == Verdict::kBetter && job.blocks == 8;
  }
  EXPECT_GE(found, kJobs * 0.99);
}

// The machine slows down by 0.2 % a boot, 1 % noise, no difference between the variants.
TEST(SimulationTest, BlocksAreThereForDrift) {
  Noise noise(5);
  plan::SplitMix64 order(6);
  constexpr int kJobs = 1500;
  constexpr int kBlocks = 12;
  int apart = 0;
  int together = 0;
  for (int i = 0; i < kJobs; ++i) {
    const auto boot = [&](int position) { return 0.002 * position + 0.01 * noise.Normal(); };
    std::vector<double> all_a;
    std::vector<double> all_b;
    for (int k = 0; k < kBlocks; ++k) all_a.push_back(boot(k));
    for (int k = 0; k < kBlocks; ++k) all_b.push_back(boot(kBlocks + k));
    apart += MannWhitney(all_a, all_b).P() <= 0.05;

    std::vector<double> differences;
    bool b_first = false;
    for (int k = 0; k < kBlocks; ++k) {
      b_first = k % 2 == 0 ? order.Below(2) == 1 : !b_first;
      const double first = boot(2 * k);
      const double second = boot(2 * k + 1);
      differences.push_back(b_first ? first - second : second - first);
    }
    together += SignedRank(differences).p_two_sided <= 0.05;
  }
  EXPECT_GE(apart, kJobs * 0.95);
  EXPECT_LE(together, kJobs * 0.06);
}

}  // namespace
}  // namespace shakedown::statistics
