// Order statistics of all sums of two sorted lists without writing the sums down: a million values
// have 10^12 of them.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_PAIR_SELECTION_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_PAIR_SELECTION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace shakedown::statistics {

// The sums a[i]+b[j] of all pairs that have the given ranks (from 1, at most a.size()*b.size()).
// Both lists ascending and finite. About 40 passes over the lists, whatever the values.
std::vector<double> SelectSums(std::span<const double> a, std::span<const double> b,
                               std::span<const int64_t> ranks);

// The same for the sums a[i]+a[j] with i <= j: twice the Walsh averages. Ranks up to n(n+1)/2.
std::vector<double> SelectSelfSums(std::span<const double> a, std::span<const int64_t> ranks);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_PAIR_SELECTION_H_
