// Every number of the reference files, to 1e-9.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/compare/statistics/bootstrap.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/golden_values.h"
#include "controller/compare/statistics/hodges_lehmann.h"
#include "controller/compare/statistics/mann_whitney.h"
#include "controller/compare/statistics/rank_distributions.h"
#include "controller/compare/statistics/signed_rank.h"
#include "controller/compare/statistics/welch.h"

namespace shakedown::statistics {
namespace {

using Numbers = std::vector<double>;

void CheckDescription(const Json& want, const Numbers& values) {
  EXPECT_EQ(values.size(), Num(want, "n"));
  ExpectClose(Num(want, "mean"), Mean(values), "mean");
  if (Has(want, "sd")) {
    ExpectClose(Num(want, "sd"), StandardDeviation(values), "sd");
  } else {
    EXPECT_TRUE(std::isnan(StandardDeviation(values)));
  }
  ExpectClose(Num(want, "median"), Median(values), "median");
  ExpectClose(Num(want, "mad"), Mad(values), "mad");
  ExpectClose(Num(want, "q1_type7"), QuantileType7(values, 0.25), "q1");
  ExpectClose(Num(want, "q3_type7"), QuantileType7(values, 0.75), "q3");
  ExpectClose(Num(want, "min"), QuantileType7(values, 0), "min");
  ExpectClose(Num(want, "max"), QuantileType7(values, 1), "max");
  ExpectClose(MaybeNum(want, "geomean"), GeometricMean(values), "geomean");
}

void CheckMannWhitney(const Json& want, const Numbers& base, const Numbers& challenger) {
  const MannWhitneyTest got = MannWhitney(base, challenger);
  ExpectClose(Num(want, "U_base"), got.u_base, "U_base");
  ExpectClose(Num(want, "U_candidate"), got.u_challenger, "U_candidate");
  ASSERT_TRUE(got.exact.has_value());
  ExpectClose(Num(want, "exact_p_two_sided"), got.exact->p_two_sided, "p");
  ExpectClose(Num(want, "exact_p_base_less"), got.exact->p_base_less, "p less");
  ExpectClose(Num(want, "exact_p_base_greater"), got.exact->p_base_greater, "p greater");
  EXPECT_EQ(got.all_equal, At(want, "all_equal").bool_value());
  ASSERT_EQ(got.asymptotic.has_value(), Has(want, "asymptotic_tie_continuity"));
  if (got.asymptotic) {
    const Json& asymptotic = At(want, "asymptotic_tie_continuity");
    ExpectClose(Num(asymptotic, "z_base"), got.asymptotic->z_base, "z");
    ExpectClose(Num(asymptotic, "p"), got.asymptotic->p, "asymptotic p");
  }
  ExpectClose(Num(want, "prob_superiority_base_gt_candidate"), got.superiority_of_base,
              "superiority");
  ExpectClose(Num(want, "cliffs_delta"), got.cliffs_delta, "Cliff's delta");
}

void CheckShift(const Json& want, const Numbers& base, const Numbers& challenger) {
  const Location got = HodgesLehmannShift(base, challenger, 0.95);
  ExpectClose(Num(want, "estimate"), got.estimate, "estimate");
  ExpectClose(Num(want, "achieved"), got.attained, "achieved");
  ASSERT_EQ(got.interval.has_value(), At(want, "reachable").bool_value());
  if (!got.interval) return;
  ExpectClose(Num(want, "lo"), got.interval->lo, "lo");
  ExpectClose(Num(want, "hi"), got.interval->hi, "hi");
  EXPECT_EQ(got.order_lo, Num(want, "order_lo"));
  EXPECT_EQ(got.order_hi, Num(want, "order_hi"));
}

void CheckWelch(const Json& object, const Numbers& base, const Numbers& challenger) {
  const std::optional<WelchTest> got = Welch(base, challenger);
  ASSERT_EQ(got.has_value(), Has(object, "welch"));
  if (!got) return;
  const Json& want = At(object, "welch");
  ExpectClose(Num(want, "t"), got->t, "t");
  ExpectClose(Num(want, "df"), got->df, "df");
  ExpectClose(Num(want, "p"), got->p, "p");
  ExpectClose(Num(want, "diff"), got->difference, "diff");
  ExpectClose(Num(want, "lo"), got->lo, "lo");
  ExpectClose(Num(want, "hi"), got->hi, "hi");
}

void CheckMedian(const Json& want, const Numbers& values) {
  const MedianInterval got = MedianConfidence(values, 0.95);
  ExpectClose(Num(want, "median"), got.median, "median");
  ExpectClose(MaybeNum(want, "lo"), got.lo, "lo");
  ExpectClose(MaybeNum(want, "hi"), got.hi, "hi");
  EXPECT_EQ(got.order_lo, Num(want, "order_lo"));
  EXPECT_EQ(got.order_hi, Num(want, "order_hi"));
  ExpectClose(Num(want, "achieved"), got.attained, "achieved");
}

TEST(GoldenTest, RankTests) {
  const std::vector<Json> cases = GoldenCases("rank_tests.json");
  ASSERT_EQ(cases.size(), 10u);
  for (const Json& one : cases) {
    SCOPED_TRACE(At(one, "name").string_value());
    const Numbers base = List(one, "base");
    const Numbers challenger = List(one, "candidate");
    CheckDescription(At(one, "desc_base"), base);
    CheckDescription(At(one, "desc_candidate"), challenger);
    CheckMannWhitney(At(one, "mann_whitney"), base, challenger);
    CheckShift(At(one, "hodges_lehmann_shift"), base, challenger);
    CheckWelch(one, base, challenger);
    CheckMedian(At(one, "median_ci_base"), base);
    CheckMedian(At(one, "median_ci_candidate"), challenger);
  }
}

void CheckSignedRank(const Json& want, const SignedRankTest& got) {
  ExpectClose(Num(want, "w_plus"), got.w_plus, "w_plus");
  ExpectClose(Num(want, "p_two_sided"), got.p_two_sided, "p");
  ExpectClose(Num(want, "p_less"), got.p_less, "p less");
  ExpectClose(Num(want, "p_greater"), got.p_greater, "p greater");
  EXPECT_TRUE(got.exact);
}

void CheckLocation(const Json& want, const Location& got) {
  ExpectClose(Num(want, "estimate"), got.estimate, "estimate");
  ExpectClose(Num(want, "attained"), got.attained, "attained");
  ASSERT_EQ(got.interval.has_value(), Has(want, "lo"));
  if (!got.interval) return;
  ExpectClose(Num(want, "lo"), got.interval->lo, "lo");
  ExpectClose(Num(want, "hi"), got.interval->hi, "hi");
}

void CheckBootstrap(const Json& want, const Numbers& base, const Numbers& challenger,
                    const TwoSampleStatistic& statistic) {
  const BootstrapResult got = Bootstrap(
      base, challenger, statistic,
      {static_cast<int>(Num(want, "replicates")), static_cast<uint64_t>(Num(want, "seed")), 0.95});
  ExpectClose(Num(want, "estimate"), got.estimate, "estimate");
  ExpectClose(List(want, "percentile")[0], got.percentile.lo, "percentile lo");
  ExpectClose(List(want, "percentile")[1], got.percentile.hi, "percentile hi");
  ASSERT_TRUE(got.bca.has_value());
  ExpectClose(List(want, "bca")[0], got.bca->lo, "bca lo");
  ExpectClose(List(want, "bca")[1], got.bca->hi, "bca hi");
}

TEST(GoldenTest, PairedCases) {
  const std::vector<Json> cases = GoldenCases("paired_cases.json");
  ASSERT_GE(cases.size(), 9u);
  for (const Json& one : cases) {
    SCOPED_TRACE(At(one, "name").string_value());
    const Numbers base = List(one, "base");
    const Numbers challenger = List(one, "challenger");
    const double level = Num(one, "level");
    Numbers differences;
    Numbers logs;
    for (size_t i = 0; i < base.size(); ++i) {
      differences.push_back(challenger[i] - base[i]);
      logs.push_back(std::log(challenger[i] / base[i]));
    }
    CheckSignedRank(At(one, "pratt"), SignedRank(differences, Zeros::kPratt));
    CheckSignedRank(At(one, "wilcoxon"), SignedRank(differences, Zeros::kWilcoxon));
    CheckSignedRank(At(one, "pratt_of_logs"), SignedRank(logs, Zeros::kPratt));
    CheckLocation(At(one, "paired_difference"), HodgesLehmann(differences, level));
    CheckLocation(At(one, "paired_log"), HodgesLehmann(logs, level));
    if (Has(one, "two_samples")) {
      CheckLocation(At(one, "two_samples"), HodgesLehmannShift(base, challenger, level));
      const MannWhitneyTest test = MannWhitney(base, challenger);
      ExpectClose(Num(At(one, "mann_whitney"), "u_base"), test.u_base, "u_base");
      ExpectClose(Num(At(one, "mann_whitney"), "p_two_sided"), test.P(), "Mann-Whitney p");
    }
    if (Has(one, "bootstrap_mean")) {
      CheckBootstrap(At(one, "bootstrap_mean"), base, challenger, MeanDifference);
      CheckBootstrap(At(one, "bootstrap_median"), base, challenger, MedianDifference);
    }
  }
}

// R: qsignrank(0.025, c(6, 8, 12, 24)), qwilcox(0.025, c(4, 5, 10, 20, 25), same).
TEST(RankDistributionsTest, QuantilesOfTheTables) {
  EXPECT_EQ(SignedRankInterval(6, 0.95).k, 1);
  EXPECT_EQ(SignedRankInterval(8, 0.95).k, 4);
  EXPECT_EQ(SignedRankInterval(12, 0.95).k, 14);
  EXPECT_EQ(SignedRankInterval(24, 0.95).k, 82);
  EXPECT_EQ(MannWhitneyInterval(4, 4, 0.95).k, 1);
  EXPECT_EQ(MannWhitneyInterval(5, 5, 0.95).k, 3);
  EXPECT_EQ(MannWhitneyInterval(10, 10, 0.95).k, 24);
  EXPECT_EQ(MannWhitneyInterval(20, 20, 0.95).k, 128);
  EXPECT_EQ(MannWhitneyInterval(25, 25, 0.95).k, 212);
}

TEST(RankDistributionsTest, AttainedLevels) {
  EXPECT_NEAR(SignedRankInterval(8, 0.95).attained, 1 - 10.0 / 256, 1e-15);
  EXPECT_FALSE(SignedRankInterval(5, 0.95).reachable);
  EXPECT_TRUE(SignedRankInterval(6, 0.95).reachable);
  EXPECT_FALSE(SignedRankInterval(6, 0.9779).reachable);
  EXPECT_TRUE(SignedRankInterval(7, 0.9779).reachable);
  // Exactly at the level: 3 v 3 attains 90 %.
  EXPECT_TRUE(MannWhitneyInterval(3, 3, 0.9).reachable);
}

TEST(RankDistributionsTest, ApproximationContinuesTheTable) {
  const IntervalRank exact = SignedRankInterval(kExactPairs, 0.95);
  const IntervalRank approximate = SignedRankInterval(kExactPairs + 1, 0.95);
  EXPECT_GT(approximate.k, exact.k);
  EXPECT_LT(approximate.k, exact.k + 100);  // One more pair adds about n/2 = 100 to the middle.
  EXPECT_NEAR(approximate.attained, 0.95, 0.002);
  EXPECT_NEAR(MannWhitneyInterval(60, 60, 0.95).attained,
              MannWhitneyInterval(60, 61, 0.95).attained, 0.001);
  EXPECT_NEAR(MannWhitneyInterval(60, 60, 0.95).k, MannWhitneyInterval(60, 61, 0.95).k, 30);
}

TEST(MannWhitneyTest, CountsUpToTheLimitsOnly) {
  Numbers a;
  Numbers b;
  for (int i = 0; i < 26; ++i) {
    a.push_back(2 * i);
    b.push_back(2 * i + 1);
  }
  EXPECT_TRUE(MannWhitney(a, b).exact.has_value());
  b[0] = 2;  // A tie.
  EXPECT_FALSE(MannWhitney(a, b).exact.has_value());
  EXPECT_EQ(MannWhitney(a, b).P(), MannWhitney(a, b).asymptotic->p);
  a.pop_back();
  b.pop_back();
  EXPECT_TRUE(MannWhitney(a, b).exact.has_value());
  // The two agree where both exist.
  EXPECT_NEAR(MannWhitney(a, b).exact->p_two_sided, MannWhitney(a, b).asymptotic->p, 0.01);
}

}  // namespace
}  // namespace shakedown::statistics
