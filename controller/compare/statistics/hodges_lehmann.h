// How far apart: the median of all pairwise differences, with an interval from the exact rank
// distribution.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_HODGES_LEHMANN_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_HODGES_LEHMANN_H_

#include <cstdint>
#include <optional>
#include <span>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::statistics {

struct Location {
  double estimate;
  // nullopt: even the widest interval, from the smallest to the largest, misses the level.
  std::optional<Interval> interval;
  double attained;   // Coverage of the interval; of the widest one when it misses the level.
  int64_t order_lo;  // Order statistics (from 1) that are the ends; 0 without an interval.
  int64_t order_hi;
};

// One sample (or paired differences): median of the Walsh averages (d[i]+d[j])/2, i <= j, and the
// signed-rank interval. Ties take the tie-free table, which is conservative. Needs a value.
Location HodgesLehmann(std::span<const double> differences, double level);

// Two samples: median of all challenger - base, and the Mann-Whitney interval. Needs a value each.
Location HodgesLehmannShift(std::span<const double> base, std::span<const double> challenger,
                            double level);

// The same as challenger / base, by logarithms. nullopt unless every value is above 0.
std::optional<Location> HodgesLehmannRatio(std::span<const double> base,
                                           std::span<const double> challenger, double level);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_HODGES_LEHMANN_H_
