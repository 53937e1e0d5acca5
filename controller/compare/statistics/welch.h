// Welch's t test: a second look at the difference of means, never the verdict.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_WELCH_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_WELCH_H_

#include <optional>
#include <span>

namespace shakedown::statistics {

struct WelchTest {
  double t;
  double df;          // Welch-Satterthwaite.
  double p;           // Two-sided.
  double difference;  // Mean of challenger - mean of base; WelchOnLogs: ratio of geometric means.
  double lo;
  double hi;
};

// nullopt with fewer than two values on a side, or no spread on either.
std::optional<WelchTest> Welch(std::span<const double> base, std::span<const double> challenger,
                               double level = 0.95);
// On logarithms; also nullopt unless every value is above 0.
std::optional<WelchTest> WelchOnLogs(std::span<const double> base,
                                     std::span<const double> challenger, double level = 0.95);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_WELCH_H_
