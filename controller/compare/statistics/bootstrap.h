// Bootstrap intervals of any statistic of two samples: a second look, never the verdict. The same
// seed gives the same numbers on every machine.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_BOOTSTRAP_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_BOOTSTRAP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::statistics {

// Of (base, challenger). Must not keep the spans.
using TwoSampleStatistic =
    std::function<double(std::span<const double> base, std::span<const double> challenger)>;

double MedianDifference(std::span<const double> base, std::span<const double> challenger);
double MeanDifference(std::span<const double> base, std::span<const double> challenger);

struct BootstrapOptions {
  int replicates = 9999;
  uint64_t seed = 1;
  double level = 0.95;
};

struct BootstrapResult {
  double estimate;      // The statistic of the samples themselves.
  Interval percentile;  // Right for medians.
  // Bias-corrected and accelerated: right for means. nullopt when the statistic does not change
  // from one value to the next left out, or every replicate lies on one side of the estimate.
  std::optional<Interval> bca;
};

// Each replicate draws base.size() values of base, then challenger.size() of challenger, with
// SplitMix64. Needs a value in each sample.
BootstrapResult Bootstrap(std::span<const double> base, std::span<const double> challenger,
                          const TwoSampleStatistic& statistic, const BootstrapOptions& options);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_BOOTSTRAP_H_
