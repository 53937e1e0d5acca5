#include "controller/compare/statistics/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "controller/compare/statistics/rank_distributions.h"

namespace shakedown::statistics {
namespace {

struct Ranking {
  std::vector<double> pooled;    // Ascending.
  std::vector<int64_t> doubled;  // Their midranks, doubled.
  int64_t doubled_base_sum = 0;
  long double tie_sum = 0;  // Sum of t^3 - t over groups of t equal values.
};

Ranking Rank(std::span<const double> base, std::span<const double> challenger) {
  std::vector<double> a(base.begin(), base.end());
  std::vector<double> b(challenger.begin(), challenger.end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Ranking ranking;
  ranking.pooled.resize(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), ranking.pooled.begin());
  ranking.doubled = DoubledMidranks(ranking.pooled);
  size_t at = 0;
  for (double value : a) {
    while (ranking.pooled[at] != value) ++at;
    ranking.doubled_base_sum += ranking.doubled[at];
  }
  for (size_t i = 0; i < ranking.pooled.size();) {
    size_t end = i + 1;
    while (end < ranking.pooled.size() && ranking.doubled[end] == ranking.doubled[i]) ++end;
    const auto t = static_cast<long double>(end - i);
    ranking.tie_sum += t * t * t - t;
    i = end;
  }
  return ranking;
}

MannWhitneyTest::Exact ExactP(const std::vector<long double>& probability, int64_t at) {
  long double less = 0;
  long double greater = 0;
  for (int64_t s = 0; s < static_cast<int64_t>(probability.size()); ++s) {
    if (s <= at) less += probability[s];
    if (s >= at) greater += probability[s];
  }
  const auto p_less = std::min(1.0, static_cast<double>(less));
  const auto p_greater = std::min(1.0, static_cast<double>(greater));
  return {std::min(1.0, 2 * std::min(p_less, p_greater)), p_less, p_greater};
}

}  // namespace

double MannWhitneyTest::P() const {
  if (exact) return exact->p_two_sided;
  return asymptotic ? asymptotic->p : 1;
}

MannWhitneyTest MannWhitney(std::span<const double> base, std::span<const double> challenger) {
  const auto m = static_cast<int64_t>(base.size());
  const auto n = static_cast<int64_t>(challenger.size());
  const Ranking ranking = Rank(base, challenger);
  const double pairs = static_cast<double>(m) * static_cast<double>(n);
  MannWhitneyTest test;
  const int64_t doubled_u = ranking.doubled_base_sum - m * (m + 1);
  test.u_base = static_cast<double>(doubled_u) / 2;
  test.u_challenger = pairs - test.u_base;
  test.ties = ranking.tie_sum > 0;
  test.all_equal = ranking.pooled.front() == ranking.pooled.back();
  test.superiority_of_base = test.u_base / pairs;
  test.cliffs_delta = 2 * test.superiority_of_base - 1;

  const int64_t larger = std::max(m, n);
  if (!test.ties && larger <= kExactSampleNoTies) {
    test.exact = ExactP(MannWhitneyProbabilities(m, n), doubled_u / 2);
  } else if (test.ties && larger <= kExactSampleWithTies) {
    test.exact = ExactP(SubsetSumProbabilities(ranking.doubled, m), ranking.doubled_base_sum);
  }
  if (!test.all_equal) {
    const auto all = static_cast<long double>(m + n);
    const long double variance = pairs / 12.0L * (all + 1 - ranking.tie_sum / (all * (all - 1)));
    const double distance = test.u_base - pairs / 2;
    const double correction = distance > 0 ? 0.5 : distance < 0 ? -0.5 : 0;
    const auto z = static_cast<double>((distance - correction) / std::sqrt(variance));
    // Beyond 38 standard deviations a double has no probability left; nothing is impossible.
    const double p = std::max(2 * NormalCdf(-std::fabs(z)), std::numeric_limits<double>::min());
    test.asymptotic = {z, std::min(1.0, p)};
  }
  return test;
}

}  // namespace shakedown::statistics
