#include "controller/compare/statistics/rank_distributions.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace shakedown::statistics {
namespace {

// The smallest q with P(W <= q) >= alpha/2 is the bound; the slack keeps a probability that equals
// alpha/2 on paper from missing it by a rounding.
IntervalRank RankFrom(const std::vector<long double>& probabilities, double level) {
  const long double tail = (1 - static_cast<long double>(level)) / 2;
  const long double slack = 10 * std::numeric_limits<double>::epsilon();
  long double below = 0;  // P(W <= k-1) of the k in hand.
  int64_t k = 0;
  while (k + 1 < static_cast<int64_t>(probabilities.size()) &&
         below + probabilities[k] < tail - slack) {
    below += probabilities[k];
    ++k;
  }
  if (k == 0) {
    k = 1;
    below = probabilities[0];
  }
  const auto attained = static_cast<double>(1 - 2 * below);
  return {k, attained, attained >= level - 1e-12};
}

IntervalRank RankFromNormal(double mean, double sd, double level) {
  const double bound = mean + NormalQuantile((1 - level) / 2) * sd - 0.5;
  const auto k = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(bound)));
  const double attained = 1 - 2 * NormalCdf((static_cast<double>(k) - 0.5 - mean) / sd);
  return {k, attained, attained >= level - 1e-12};
}

}  // namespace

std::vector<long double> SignedRankProbabilities(int64_t n) {
  std::vector<int64_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 1);
  return SignFlipProbabilities(ranks);
}

std::vector<long double> SignFlipProbabilities(std::span<const int64_t> ranks) {
  const int64_t largest = std::accumulate(ranks.begin(), ranks.end(), int64_t{0});
  std::vector<long double> probability(largest + 1, 0);
  probability[0] = 1;
  int64_t reach = 0;
  for (int64_t rank : ranks) {
    reach += rank;
    for (int64_t s = reach; s >= 0; --s)
      probability[s] = (probability[s] + (s >= rank ? probability[s - rank] : 0)) / 2;
  }
  return probability;
}

std::vector<long double> MannWhitneyProbabilities(int64_t m, int64_t n) {
  // ways[i][u]: of i and j values in all orders, those with U = u; j grows to n. The last value is
  // either one of the j (then U counts the rest) or one of the i (which beats all j).
  std::vector<std::vector<long double>> ways(m + 1);
  for (int64_t i = 0; i <= m; ++i) {
    ways[i].assign(i * n + 1, 0);
    ways[i][0] = 1;
  }
  for (int64_t j = 1; j <= n; ++j)
    for (int64_t i = 1; i <= m; ++i)
      for (int64_t u = i * j; u >= j; --u) ways[i][u] += ways[i - 1][u - j];
  std::vector<long double>& last = ways[m];
  const long double total = std::accumulate(last.begin(), last.end(), 0.0L);
  for (long double& way : last) way /= total;
  return last;
}

std::vector<long double> SubsetSumProbabilities(std::span<const int64_t> ranks, int64_t chosen) {
  const int64_t largest = std::accumulate(ranks.begin(), ranks.end(), int64_t{0});
  std::vector<std::vector<long double>> ways(chosen + 1, std::vector<long double>(largest + 1, 0));
  ways[0][0] = 1;
  int64_t reach = 0;
  for (int64_t rank : ranks) {
    reach += rank;
    for (int64_t k = chosen; k >= 1; --k)
      for (int64_t s = reach; s >= rank; --s) ways[k][s] += ways[k - 1][s - rank];
  }
  std::vector<long double>& last = ways[chosen];
  const long double total = std::accumulate(last.begin(), last.end(), 0.0L);
  for (long double& way : last) way /= total;
  return last;
}

IntervalRank SignedRankInterval(int64_t n, double level) {
  if (n <= kExactPairs) return RankFrom(SignedRankProbabilities(n), level);
  const auto size = static_cast<double>(n);
  return RankFromNormal(size * (size + 1) / 4, std::sqrt(size * (size + 1) * (2 * size + 1) / 24),
                        level);
}

IntervalRank MannWhitneyInterval(int64_t m, int64_t n, double level) {
  // Compared by division: the product of two sizes a caller chose may not fit.
  if (m <= kExactProduct / n) return RankFrom(MannWhitneyProbabilities(m, n), level);
  const double product = static_cast<double>(m) * static_cast<double>(n);
  return RankFromNormal(product / 2, std::sqrt(product * static_cast<double>(m + n + 1) / 12),
                        level);
}

double NormalCdf(double z) { return boost::math::cdf(boost::math::normal(), z); }
double NormalQuantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

std::vector<int64_t> DoubledMidranks(std::span<const double> sorted) {
  std::vector<int64_t> ranks(sorted.size());
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    // Ranks i+1 .. end; twice their mean.
    std::fill(ranks.begin() + static_cast<std::ptrdiff_t>(i),
              ranks.begin() + static_cast<std::ptrdiff_t>(end), static_cast<int64_t>(i + 1 + end));
    i = end;
  }
  return ranks;
}

}  // namespace shakedown::statistics
