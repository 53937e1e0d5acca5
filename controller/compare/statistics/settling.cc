#include "controller/compare/statistics/settling.h"

#include <cmath>

namespace shakedown::statistics {

std::optional<int64_t> BlocksToSettle(const Metric& metric, const Effect& effect) {
  if (!effect.interval) return std::nullopt;
  const auto have = static_cast<int64_t>(effect.n_base);
  for (int64_t blocks = have + 1; blocks <= have + kMostBlocksToSettle; ++blocks) {
    const double shrunk = std::sqrt(static_cast<double>(have) / static_cast<double>(blocks));
    const double lo = effect.estimate - (effect.estimate - effect.interval->lo) * shrunk;
    const double hi = effect.estimate + (effect.interval->hi - effect.estimate) * shrunk;
    const bool leaves_out_zero = lo > 0 || hi < 0;
    const bool within =
        !IsBig(metric, lo, effect.base_median) && !IsBig(metric, hi, effect.base_median);
    if (leaves_out_zero || within) return blocks - have;
  }
  return std::nullopt;
}

}  // namespace shakedown::statistics
