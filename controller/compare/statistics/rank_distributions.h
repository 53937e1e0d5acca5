// The exact null distributions of the two rank statistics, by counting (no ties), and the number of
// the order statistic that bounds a confidence interval.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_RANK_DISTRIBUTIONS_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_RANK_DISTRIBUTIONS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace shakedown::statistics {

// Above these sizes counting costs more than it tells and the normal approximation takes its place.
inline constexpr int64_t kExactPairs = 200;     // Signed rank.
inline constexpr int64_t kExactProduct = 3600;  // Interval of two samples: n_base * n_challenger.
inline constexpr int64_t kExactSampleNoTies = 50;  // Mann-Whitney p: each sample.
inline constexpr int64_t kExactSampleWithTies = 25;

// P(W = w), w from 0 to n(n+1)/2: each of the ranks 1..n taken or left with probability 1/2.
std::vector<long double> SignedRankProbabilities(int64_t n);
// The same where the ranks are these integers (midranks doubled).
std::vector<long double> SignFlipProbabilities(std::span<const int64_t> doubled_ranks);
// P(U = u), u from 0 to m*n.
std::vector<long double> MannWhitneyProbabilities(int64_t m, int64_t n);
// P(S = s): sum of `chosen` of these integers, all choices alike.
std::vector<long double> SubsetSumProbabilities(std::span<const int64_t> doubled_ranks,
                                                int64_t chosen);

// Two-sided bound by order statistics: the interval runs from the k-th smallest to the k-th
// largest.
struct IntervalRank {
  int64_t k;        // At least 1.
  double attained;  // Coverage with this k.
  bool reachable;   // False: even k = 1, the widest interval, covers less than was asked for.
};
// Of the n(n+1)/2 Walsh averages.
IntervalRank SignedRankInterval(int64_t n, double level);
// Of the m*n differences.
IntervalRank MannWhitneyInterval(int64_t m, int64_t n, double level);

// Standard normal distribution.
double NormalCdf(double z);
double NormalQuantile(double p);

// Midranks of `sorted` (ascending), doubled so that they are whole: 2 for a lone smallest value.
std::vector<int64_t> DoubledMidranks(std::span<const double> sorted);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_RANK_DISTRIBUTIONS_H_
