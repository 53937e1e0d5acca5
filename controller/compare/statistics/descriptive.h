// What one list of numbers looks like. Every function takes its input as it is and leaves it in its
// order: the values must be finite, and where no answer exists (no values, spread of one) it is
// NaN.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_DESCRIPTIVE_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_DESCRIPTIVE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shakedown::statistics {

struct Interval {
  double lo;
  double hi;
  friend bool operator==(const Interval&, const Interval&) = default;
};

double Mean(std::span<const double> values);
double Median(std::span<const double> values);
// Median absolute deviation from the median, as it is (not multiplied by 1.4826).
double Mad(std::span<const double> values);
// Sample standard deviation, divisor n-1. NaN for fewer than two values.
double StandardDeviation(std::span<const double> values);
// nullopt unless every value is above 0.
std::optional<double> GeometricMean(std::span<const double> values);
// Quantile by Hyndman and Fan's type 7 (R's default); `q` from 0 to 1.
double QuantileType7(std::span<const double> values, double q);
// The same of values already in ascending order.
double QuantileType7Sorted(std::span<const double> sorted, double q);

// The interval of the median between two order statistics, with no assumption on the shape.
struct MedianInterval {
  double median;
  // Numbers of the order statistics, from 1. 0 and n+1 stand for minus and plus infinity: with few
  // values no order statistic is far enough out, and that bound is absent.
  int64_t order_lo;
  int64_t order_hi;
  std::optional<double> lo;
  std::optional<double> hi;
  double attained;  // Coverage of [order_lo, order_hi), at least the level asked for.
};
// Grows from the middle by the likelier neighbour, the lower one first, until `level` is covered.
// Needs at least one value.
MedianInterval MedianConfidence(std::span<const double> values, double level);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_DESCRIPTIVE_H_
