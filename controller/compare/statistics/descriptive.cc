#include "controller/compare/statistics/descriptive.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shakedown::statistics {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double MedianOfScratch(std::vector<double>& values) {
  if (values.empty()) return kNone;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace

double Mean(std::span<const double> values) {
  if (values.empty()) return kNone;
  long double sum = 0;
  for (double value : values) sum += value;
  return static_cast<double>(sum / values.size());
}

double Median(std::span<const double> values) {
  std::vector<double> scratch(values.begin(), values.end());
  return MedianOfScratch(scratch);
}

double Mad(std::span<const double> values) {
  std::vector<double> scratch(values.begin(), values.end());
  const double median = MedianOfScratch(scratch);
  for (double& value : scratch) value = std::fabs(value - median);
  return MedianOfScratch(scratch);
}

double StandardDeviation(std::span<const double> values) {
  if (values.size() < 2) return kNone;
  long double sum = 0;
  for (double value : values) sum += value;
  const long double mean = sum / values.size();
  long double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return static_cast<double>(std::sqrt(squares / (values.size() - 1)));
}

std::optional<double> GeometricMean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  long double sum = 0;
  for (double value : values) {
    if (!(value > 0)) return std::nullopt;
    sum += std::log(static_cast<long double>(value));
  }
  return static_cast<double>(std::exp(sum / values.size()));
}

double QuantileType7(std::span<const double> values, double q) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return QuantileType7Sorted(sorted, q);
}

double QuantileType7Sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return kNone;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = position - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

MedianInterval MedianConfidence(std::span<const double> values, double level) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<int64_t>(sorted.size());
  // Binomial(n, 1/2) relative to its mode. Built outwards from the middle, so that the weights of k
  // and n-k are the same number and a tie is seen as one.
  std::vector<long double> weight(n + 2, 0);
  const int64_t mode = n / 2;
  weight[mode] = weight[n - mode] = 1;
  long double total = mode == n - mode ? 1 : 2;
  for (int64_t k = mode; k > 0; --k) {
    weight[k - 1] = weight[k] * k / (n - k + 1);
    weight[n - k + 1] = weight[k - 1];
    total += 2 * weight[k - 1];
  }
  int64_t lo = mode;
  int64_t hi = mode + 1;
  long double covered = weight[mode];
  while (covered < static_cast<long double>(level) * total * (1 - 1e-13L) && (lo > 0 || hi <= n)) {
    const long double left = lo > 0 ? weight[lo - 1] : -1;
    const long double right = hi <= n ? weight[hi] : -1;
    if (left >= right) {
      covered += left;
      --lo;
    } else {
      covered += right;
      ++hi;
    }
  }
  MedianInterval result{Median(values), lo,           hi,
                        std::nullopt,   std::nullopt, static_cast<double>(covered / total)};
  if (lo >= 1) result.lo = sorted[lo - 1];
  if (hi <= n) result.hi = sorted[hi - 1];
  return result;
}

}  // namespace shakedown::statistics
