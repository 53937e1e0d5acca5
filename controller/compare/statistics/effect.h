// One metric of two variants: estimate, interval and test that belong together.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_EFFECT_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_EFFECT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/metric.h"

namespace shakedown::statistics {

struct Effect {
  bool paired;
  int64_t n_base;  // Boots; paired: blocks, the same on both sides.
  int64_t n_challenger;
  double base_median;
  double base_mad;
  double challenger_median;
  double challenger_mad;
  // The change from base to challenger as the numbers go, not turned so that up is better: relative
  // (0.05 = +5 %) on a ratio scale, in the metric's unit on a difference scale.
  double estimate;
  std::optional<Interval> interval;  // nullopt: so few boots have none at this level.
  double level;                      // Asked for.
  double attained;  // What the interval covers at least; of the widest one when there is none.
  double p;         // Two-sided. Signed rank (Pratt zeros) when paired, else Mann-Whitney.
  bool exact;       // p by counting, not by approximation.
  // Paired only, one a block in the order given: log(challenger / base) or challenger - base.
  std::vector<double> differences;
};

// `base[i]` and `challenger[i]` are of one block. nullopt unless there are values, as many on each
// side, and all above 0 on a ratio scale.
std::optional<Effect> ComparePaired(const Metric& metric, std::span<const double> base,
                                    std::span<const double> challenger, double level);

// Boots that share nothing but their variant: imported results, history.
std::optional<Effect> CompareUnpaired(const Metric& metric, std::span<const double> base,
                                      std::span<const double> challenger, double level);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_EFFECT_H_
