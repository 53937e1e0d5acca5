// The Mann-Whitney test of two samples.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_MANN_WHITNEY_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_MANN_WHITNEY_H_

#include <cstdint>
#include <optional>
#include <span>

namespace shakedown::statistics {

struct MannWhitneyTest {
  // Pairs with base > challenger, a tie counting half; the other way round it is n*m less this.
  double u_base;
  double u_challenger;
  bool ties;
  bool all_equal;
  // Conditional on the ties at hand, by counting: the smaller tail doubled, at most 1. Absent
  // beyond kExactSampleNoTies / kExactSampleWithTies values in either sample.
  struct Exact {
    double p_two_sided;
    double p_base_less;     // P(U <= u_base).
    double p_base_greater;  // P(U >= u_base).
  };
  std::optional<Exact> exact;
  // Normal, with tie and continuity correction. Absent when all values are equal.
  struct Asymptotic {
    double z_base;
    double p;
  };
  std::optional<Asymptotic> asymptotic;
  // Share of the pairs that base wins, ties half; and Cliff's delta, from -1 (challenger always
  // larger) to 1.
  double superiority_of_base;
  double cliffs_delta;

  // The p to show: exact where there is one; 1 when all values are equal.
  double P() const;
};

// Needs a value in each sample.
MannWhitneyTest MannWhitney(std::span<const double> base, std::span<const double> challenger);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_MANN_WHITNEY_H_
