// Adjusting p-values for being many.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_MULTIPLICITY_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_MULTIPLICITY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shakedown::statistics {

// Adjusted p, in the order given; pass when at most the level. Holm bounds the chance of any false
// alarm in the family, Benjamini-Hochberg the share of false ones among the alarms.
std::vector<double> Holm(std::span<const double> p);
std::vector<double> BenjaminiHochberg(std::span<const double> p);

// The smallest two-sided p that so many pairs (signed rank) or values (Mann-Whitney) can give.
double SmallestSignedRankP(int64_t pairs);
double SmallestMannWhitneyP(int64_t m, int64_t n);

// How many pairs a lone difference among `family` metrics needs before Benjamini-Hochberg at level
// `q` can let it pass.
int64_t PairsForLoneMetric(int64_t family, double q);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_MULTIPLICITY_H_
