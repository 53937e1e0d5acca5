// Wilcoxon's signed-rank test of paired differences.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SIGNED_RANK_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SIGNED_RANK_H_

#include <cstdint>
#include <span>

namespace shakedown::statistics {

enum class Zeros {
  kPratt,     // Zeros take part in the ranking, then drop out.
  kWilcoxon,  // Zeros are removed first.
};

struct SignedRankTest {
  double w_plus;   // Sum of the midranks of the positive differences.
  double w_minus;  // Of the negative ones.
  int64_t zeros;
  // Of the sign-flip distribution on the midranks at hand, so ties need no correction. The smaller
  // tail doubled, at most 1; 1 when all differences are 0.
  double p_two_sided;
  double p_less;     // P(W <= w_plus): small when the differences are negative.
  double p_greater;  // P(W >= w_plus).
  bool exact;        // False above kExactPairs: normal, with tie and continuity correction.
};

// The differences are first rounded to 12 decimals: ties of the measured values survive a logarithm
// only to its last bits.
SignedRankTest SignedRank(std::span<const double> differences, Zeros zeros = Zeros::kPratt);

// What is rounded, for those who rank by themselves.
double RoundTo12Decimals(double value);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SIGNED_RANK_H_
