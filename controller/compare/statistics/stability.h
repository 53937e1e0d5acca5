// Footnotes about how the numbers behaved. None of them changes a verdict.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_STABILITY_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_STABILITY_H_

#include <optional>
#include <span>

namespace shakedown::statistics {

inline constexpr double kDriftP = 0.01;

struct Drift {
  double runs_p;       // Runs above and below the median. NaN when there are not enough values.
  double ljung_box_p;  // Autocorrelation up to lag ceil(ln n).
  bool flagged;        // Either below kDriftP.
};
// `in_time_order`: the paired differences as they were measured. nullopt below 8 values or without
// spread.
std::optional<Drift> FindDrift(std::span<const double> in_time_order);

struct Modes {
  double low_center;  // Medians of the two groups.
  double high_center;
  double low_share;  // Of the values.
};
// Splits the values in the two groups that explain most of their variance; nullopt unless what is
// left is less than kTwoModes of it and each group has a fifth of the values. Below 16 values there
// is no answer: chance alone looks like that too often.
std::optional<Modes> FindTwoModes(std::span<const double> values);
inline constexpr double kTwoModes = 0.12;

// How far the first value lies from the median of the others, in their 1.4826 MAD: a large one
// (say 5) tells of a slow start. nullopt with fewer than 5 others, or without spread.
std::optional<double> FirstValueZ(std::span<const double> in_time_order);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_STABILITY_H_
