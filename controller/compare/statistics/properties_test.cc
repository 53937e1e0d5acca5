// What must hold for any numbers, tried on many drawn ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "controller/compare/statistics/bootstrap.h"
#include "controller/compare/statistics/effect.h"
#include "controller/compare/statistics/hodges_lehmann.h"
#include "controller/compare/statistics/mann_whitney.h"
#include "controller/compare/statistics/multiplicity.h"
#include "controller/compare/statistics/pair_selection.h"
#include "controller/compare/statistics/rank_distributions.h"
#include "controller/compare/statistics/signed_rank.h"
#include "controller/plan/split_mix.h"

namespace shakedown::statistics {
namespace {

using Numbers = std::vector<double>;

// Positive, with ties: quarters between 0.25 and 10.
Numbers Draw(plan::SplitMix64& random, size_t n) {
  Numbers values(n);
  for (double& value : values) value = 0.25 * static_cast<double>(1 + random.Below(40));
  return values;
}

Metric AnyMetric(Scale scale) { return MakeMetric("m", Direction::kLowerIsBetter, scale, "s"); }

template <typename Body>
void ForManySamples(Body body) {
  plan::SplitMix64 random(4711);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const size_t n = 1 + random.Below(14);
    const Numbers a = Draw(random, n);
    const Numbers b = Draw(random, n);
    body(a, b, random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PropertiesTest, SwappingTheSidesTurnsTheSign) {
  ForManySamples([](const Numbers& a, const Numbers& b, plan::SplitMix64&) {
    for (const bool paired : {true, false}) {
      const Metric metric = AnyMetric(Scale::kDifference);
      const auto compare = paired ? ComparePaired : CompareUnpaired;
      const Effect there = *compare(metric, a, b, 0.95);
      const Effect back = *compare(metric, b, a, 0.95);
      EXPECT_EQ(there.estimate, -back.estimate);
      EXPECT_NEAR(there.p, back.p, 1e-12);
      ASSERT_EQ(there.interval.has_value(), back.interval.has_value());
      if (!there.interval) continue;
      EXPECT_EQ(there.interval->lo, -back.interval->hi);
      EXPECT_EQ(there.interval->hi, -back.interval->lo);
    }
  });
}

TEST(PropertiesTest, SwappingTheSidesInvertsTheRatio) {
  ForManySamples([](const Numbers& a, const Numbers& b, plan::SplitMix64&) {
    const Metric metric = AnyMetric(Scale::kRatio);
    const Effect there = *ComparePaired(metric, a, b, 0.95);
    const Effect back = *ComparePaired(metric, b, a, 0.95);
    EXPECT_NEAR((1 + there.estimate) * (1 + back.estimate), 1, 1e-12);
    EXPECT_NEAR(there.p, back.p, 1e-12);
  });
}

TEST(PropertiesTest, AddingAConstantMovesTheEstimateByIt) {
  ForManySamples([](const Numbers& a, const Numbers& b, plan::SplitMix64&) {
    Numbers moved = b;
    for (double& value : moved) value += 3;
    const Location before = HodgesLehmannShift(a, b, 0.95);
    const Location after = HodgesLehmannShift(a, moved, 0.95);
    EXPECT_EQ(after.estimate, before.estimate + 3);
    if (before.interval) {
      EXPECT_EQ(after.interval->lo, before.interval->lo + 3);
      EXPECT_EQ(after.interval->hi, before.interval->hi + 3);
    }
  });
}

TEST(PropertiesTest, ScalingBothSidesChangesNothingOfARatio) {
  ForManySamples([](const Numbers& a, const Numbers& b, plan::SplitMix64&) {
    Numbers a8 = a;
    Numbers b8 = b;
    for (double& value : a8) value *= 8;
    for (double& value : b8) value *= 8;
    const Metric metric = AnyMetric(Scale::kRatio);
    EXPECT_EQ(ComparePaired(metric, a, b, 0.95)->p, ComparePaired(metric, a8, b8, 0.95)->p);
    EXPECT_NEAR(CompareUnpaired(metric, a, b, 0.95)->estimate,
                CompareUnpaired(metric, a8, b8, 0.95)->estimate, 1e-12);
  });
}

TEST(PropertiesTest, IntervalHoldsTheEstimateAndPIsAProbability) {
  ForManySamples([](const Numbers& a, const Numbers& b, plan::SplitMix64&) {
    for (const Scale scale : {Scale::kRatio, Scale::kDifference}) {
      for (const bool paired : {true, false}) {
        const auto compare = paired ? ComparePaired : CompareUnpaired;
        for (const double level : {0.5, 0.9, 0.95, 0.9779, 0.99}) {
          const Effect effect = *compare(AnyMetric(scale), a, b, level);
          EXPECT_GT(effect.p, 0);
          EXPECT_LE(effect.p, 1);
          EXPECT_EQ(effect.interval.has_value(), effect.attained >= level - 1e-12);
          if (!effect.interval) continue;
          EXPECT_LE(effect.interval->lo, effect.estimate);
          EXPECT_GE(effect.interval->hi, effect.estimate);
        }
      }
    }
  });
}

TEST(PropertiesTest, OrderOfTheInputChangesNothing) {
  ForManySamples([](const Numbers& a, const Numbers& b, plan::SplitMix64& random) {
    std::vector<size_t> order(a.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.Shuffle(order);
    Numbers a2;
    Numbers b2;
    for (size_t i : order) {
      a2.push_back(a[i]);
      b2.push_back(b[i]);
    }
    const Metric metric = AnyMetric(Scale::kRatio);
    for (const bool paired : {true, false}) {
      const auto compare = paired ? ComparePaired : CompareUnpaired;
      const Effect one = *compare(metric, a, b, 0.9);
      const Effect two = *compare(metric, a2, b2, 0.9);
      EXPECT_EQ(one.estimate, two.estimate);
      EXPECT_EQ(one.interval, two.interval);
      EXPECT_EQ(one.p, two.p);
      EXPECT_EQ(one.base_median, two.base_median);
      EXPECT_EQ(one.base_mad, two.base_mad);
    }
  });
}

TEST(PropertiesTest, IntervalAndTestAgreeWithoutTies) {
  plan::SplitMix64 random(5);
  int excluded = 0;
  for (int round = 0; round < 300; ++round) {
    Numbers differences(8 + random.Below(10));
    for (double& d : differences) d = static_cast<double>(random.Next() >> 11) * 0x1p-53 - 0.3;
    const Location location = HodgesLehmann(differences, 0.95);
    const bool excludes = location.interval->lo > 0 || location.interval->hi < 0;
    EXPECT_EQ(excludes, SignedRank(differences).p_two_sided < 0.05);
    excluded += excludes;
  }
  EXPECT_GT(excluded, 20);
  EXPECT_LT(excluded, 280);
}

TEST(PropertiesTest, InputIsLeftInItsOrder) {
  const Numbers a = {5, 1, 4, 2, 3};
  const Numbers before = a;
  Median(a);
  Mad(a);
  QuantileType7(a, 0.3);
  MedianConfidence(a, 0.95);
  HodgesLehmannShift(a, a, 0.9);
  EXPECT_EQ(a, before);
}

TEST(PairSelectionTest, SameAsSortingAllSums) {
  plan::SplitMix64 random(99);
  for (int round = 0; round < 20; ++round) {
    Numbers a = Draw(random, 1 + random.Below(60));
    Numbers b = Draw(random, 1 + random.Below(60));
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    Numbers sums;
    for (double x : a)
      for (double y : b) sums.push_back(x + y);
    std::sort(sums.begin(), sums.end());
    std::vector<int64_t> ranks;
    for (size_t i = 1; i <= sums.size(); ++i) ranks.push_back(static_cast<int64_t>(i));
    EXPECT_EQ(SelectSums(a, b, ranks), sums);
  }
}

// Above a million sums it narrows the range before it writes any down. Values that tie, that differ
// by hundreds of orders of magnitude, and that lie evenly.
TEST(PairSelectionTest, ManySums) {
  constexpr int64_t kN = 3000;
  for (int kind = 0; kind < 4; ++kind) {
    SCOPED_TRACE(kind);
    plan::SplitMix64 random(7);
    Numbers a(kN);
    for (double& value : a) {
      const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
      value = kind == 0   ? u
              : kind == 1 ? static_cast<double>(random.Below(3)) - 1
              : kind == 2 ? std::ldexp(u - 0.5, static_cast<int>(random.Below(600)) - 300)
                          : 0.0;
    }
    std::sort(a.begin(), a.end());
    Numbers sums;
    for (int64_t i = 0; i < kN; ++i)
      for (int64_t j = i; j < kN; ++j) sums.push_back(a[i] + a[j]);
    const auto count = static_cast<int64_t>(sums.size());
    const std::vector<int64_t> ranks = {1, count / 1000, count / 2, count / 2 + 1, count};
    const Numbers got = SelectSelfSums(a, ranks);
    for (size_t i = 0; i < ranks.size(); ++i) {
      const auto at = sums.begin() + (ranks[i] - 1);
      std::nth_element(sums.begin(), at, sums.end());
      EXPECT_EQ(got[i], *at);
    }
  }
}

TEST(SignedRankTest, ApproximationContinuesTheCount) {
  plan::SplitMix64 random(3);
  Numbers differences(kExactPairs + 1);
  for (double& d : differences) d = static_cast<double>(random.Next() >> 11) * 0x1p-53 - 0.45;
  const SignedRankTest approximate = SignedRank(differences);
  EXPECT_FALSE(approximate.exact);
  const SignedRankTest exact = SignedRank(std::span(differences).first(kExactPairs));
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(approximate.p_two_sided, exact.p_two_sided, 0.1 * exact.p_two_sided + 0.01);
  EXPECT_GT(exact.p_two_sided, 0);
}

TEST(MultiplicityTest, HolmAndBenjaminiHochberg) {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") and "BH".
  const Numbers p = {0.01, 0.04, 0.03, 0.005};
  const Numbers holm = Holm(p);
  const Numbers bh = BenjaminiHochberg(p);
  const Numbers want_holm = {0.03, 0.06, 0.06, 0.02};
  const Numbers want_bh = {0.02, 0.04, 0.04, 0.02};
  for (size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(holm[i], want_holm[i], 1e-15);
    EXPECT_NEAR(bh[i], want_bh[i], 1e-15);
  }
  EXPECT_EQ(Holm(Numbers{0.7, 0.8}), (Numbers{1, 1}));
  EXPECT_TRUE(Holm(Numbers{}).empty());
}

TEST(MultiplicityTest, ALoneMetricAmongThirtyNeedsElevenBlocks) {
  EXPECT_EQ(PairsForLoneMetric(30, 0.05), 11);
  EXPECT_EQ(PairsForLoneMetric(1, 0.05), 6);
  EXPECT_DOUBLE_EQ(SmallestSignedRankP(8), 2.0 / 256);
  EXPECT_NEAR(SmallestMannWhitneyP(4, 4), 2.0 / 70, 1e-12);
}

TEST(BootstrapTest, SameSeedSameNumbers) {
  const Numbers a = {1, 2, 3, 4, 5};
  const Numbers b = {2, 3, 4, 5, 9};
  const BootstrapOptions options{999, 17, 0.95};
  const BootstrapResult one = Bootstrap(a, b, MeanDifference, options);
  const BootstrapResult two = Bootstrap(a, b, MeanDifference, options);
  EXPECT_EQ(one.percentile, two.percentile);
  EXPECT_EQ(one.bca, two.bca);
  EXPECT_LT(one.percentile.lo, one.estimate);
  EXPECT_GT(one.percentile.hi, one.estimate);
  EXPECT_FALSE(Bootstrap(Numbers{1, 1}, Numbers{1, 1}, MeanDifference, options).bca.has_value());
}

}  // namespace
}  // namespace shakedown::statistics
