#include "controller/compare/statistics/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace shakedown::statistics {
namespace {

// A product such as 0.1 * 30 must not fall below a whole number by a rounding in the last place.
constexpr double kSlack = 1e-12;

bool WithinTenPercent(double a, double b) {
  return std::fabs(a - b) <= 0.1 * std::max(a, b) * (1 + kSlack);
}

}  // namespace

std::optional<std::string> WhyMaximaDiffer(uint64_t n_base, uint64_t n_challenger,
                                           double duration_base, double duration_challenger) {
  if (!WithinTenPercent(static_cast<double>(n_base), static_cast<double>(n_challenger)))
    return "maxima of " + std::to_string(n_base) + " and " + std::to_string(n_challenger) +
           " values: more than 10 % apart";
  if (!WithinTenPercent(duration_base, duration_challenger))
    return "maxima over " + std::to_string(duration_base) + " and " +
           std::to_string(duration_challenger) + ": durations more than 10 % apart";
  return std::nullopt;
}

}  // namespace shakedown::statistics
