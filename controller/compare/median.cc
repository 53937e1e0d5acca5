#include "controller/compare/median.h"

#include <algorithm>
#include <cmath>

namespace shakedown::compare {

std::optional<double> Median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

std::optional<double> ChangePercent(double base, double value) {
  if (base == 0) return std::nullopt;
  const double change = 100 * (value - base) / std::fabs(base);
  return std::isfinite(change) ? std::optional<double>(change) : std::nullopt;
}

}  // namespace shakedown::compare
