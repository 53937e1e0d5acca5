// How many more blocks an open verdict wants.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SETTLING_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SETTLING_H_

#include <cstdint>
#include <optional>

#include "controller/compare/statistics/effect.h"
#include "controller/compare/statistics/metric.h"

namespace shakedown::statistics {

inline constexpr int64_t kMostBlocksToSettle = 1000;

// The smallest number of blocks beyond the effect's at which its interval, were it to shrink with
// the root of their number around the same estimate, would leave out 0 or lie within what is not
// large. An estimate, not a promise: the estimate itself will move. nullopt: there is no interval,
// or not within 1000 blocks.
std::optional<int64_t> BlocksToSettle(const Metric& metric, const Effect& effect);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SETTLING_H_
