#include "controller/compare/statistics/stability.h"

#include <algorithm>
#include <boost/math/statistics/ljung_box.hpp>
#include <boost/math/statistics/runs_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::statistics {
namespace {

constexpr size_t kFewestForDrift = 8;
constexpr size_t kFewestForModes = 16;

// p of the runs above and below the median; NaN when all values off it are on one side of it, for
// then there is nothing to count. Boost says p = 0 of that, and throws when there is but one.
double RunsP(const std::vector<double>& values) {
  const double median = Median(values);
  const auto above = [median](double value) { return value > median; };
  const auto below = [median](double value) { return value < median; };
  if (std::none_of(values.begin(), values.end(), above) ||
      std::none_of(values.begin(), values.end(), below)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return boost::math::statistics::runs_above_and_below_median(values).second;
}

// The statistic has fourth powers in it and no unit: of values near 1 it does not overflow.
double LjungBoxP(std::vector<double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  int exponent = 0;
  std::frexp(largest, &exponent);
  for (double& value : values) value = std::ldexp(value, -exponent);
  return boost::math::statistics::ljung_box(values).second;
}

}  // namespace

std::optional<Drift> FindDrift(std::span<const double> in_time_order) {
  const std::vector<double> values(in_time_order.begin(), in_time_order.end());
  if (values.size() < kFewestForDrift) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return std::nullopt;
  Drift drift;
  drift.runs_p = RunsP(values);
  drift.ljung_box_p = LjungBoxP(values);
  drift.flagged = drift.runs_p < kDriftP || drift.ljung_box_p < kDriftP;
  return drift;
}

std::optional<Modes> FindTwoModes(std::span<const double> values) {
  const size_t n = values.size();
  if (n < kFewestForModes) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const long double center = Mean(sorted);
  std::vector<long double> sums(n + 1, 0);
  long double all = 0;
  for (size_t i = 0; i < n; ++i) {
    sums[i + 1] = sums[i] + (sorted[i] - center);
    all += (sorted[i] - center) * (sorted[i] - center);
  }
  if (!(all > 0)) return std::nullopt;
  const size_t margin = (n + 4) / 5;
  long double explained = 0;
  size_t split = 0;
  for (size_t k = margin; k + margin <= n; ++k) {
    const long double between =
        sums[k] * sums[k] / k + (sums[n] - sums[k]) * (sums[n] - sums[k]) / (n - k);
    if (between > explained) {
      explained = between;
      split = k;
    }
  }
  if (split == 0 || 1 - explained / all >= kTwoModes) return std::nullopt;
  const std::span<const double> view(sorted);
  return Modes{Median(view.first(split)), Median(view.subspan(split)),
               static_cast<double>(split) / static_cast<double>(n)};
}

std::optional<double> FirstValueZ(std::span<const double> in_time_order) {
  if (in_time_order.size() < 6) return std::nullopt;
  const std::span<const double> others = in_time_order.subspan(1);
  const double spread = 1.4826 * Mad(others);
  if (!(spread > 0)) return std::nullopt;
  return (in_time_order.front() - Median(others)) / spread;
}

}  // namespace shakedown::statistics
