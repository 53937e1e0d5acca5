#pragma once

#include <optional>
#include <vector>

namespace shakedown::compare {

// The middle value, or the mean of the two in the middle. Nothing when there are none.
std::optional<double> Median(std::vector<double> values);

// Of `value` against `base`, in percent of `base`'s magnitude. Nothing when `base` is 0.
std::optional<double> ChangePercent(double base, double value);

}  // namespace shakedown::compare
