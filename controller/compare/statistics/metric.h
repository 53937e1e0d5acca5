// What a number means: which way is better, how changes are measured, and how large one must be to
// matter.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_METRIC_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_METRIC_H_

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shakedown::statistics {

enum class Direction { kLowerIsBetter, kHigherIsBetter };

// kRatio: changes are challenger / base, by logarithms; every value must be above 0.
// kDifference: challenger - base, for whatever can be 0 and for percentages.
enum class Scale { kRatio, kDifference };

// At most three metrics of a job are primary, fixed before it starts: they decide when it stops.
// kInfo is shown and never tested.
enum class Role { kPrimary, kSecondary, kInfo };
inline constexpr int kMostPrimaries = 3;

struct Metric {
  std::string name;
  Direction direction = Direction::kLowerIsBetter;
  Scale scale = Scale::kRatio;
  std::string unit;
  double resolution = 0;  // Print quantum, in `unit`.
  double floor = 0;       // A relative change counts only when it is at least this much, in `unit`.
  double delta_rel = 0.05;  // A change of this part of the base is large.
  double delta_abs = std::numeric_limits<double>::infinity();  // So is one of this much, in `unit`.
  Role role = Role::kSecondary;
};

// With the thresholds that go with the unit: 5 ms for latencies (ms, us, ns), 5 points for "%",
// none for others; floor max(2 * resolution, 0.1 ms) for times, 2 * resolution for others. A time
// in seconds is taken for a duration, not a latency: no absolute threshold.
Metric MakeMetric(std::string_view name, Direction direction, Scale scale, std::string_view unit,
                  double resolution = 0, Role role = Role::kSecondary);

// The metrics of our own loads by name: "make.real", "latt.wakeup.max",
// "interbench.video.burn.latency.avg". nullopt: not known.
std::optional<Metric> FindMetric(std::string_view name);

// What FindMetric knows and a verdict can be of, '*' standing for one part between dots; "" and
// "make" give all and those of make.
std::vector<std::string_view> KnownMetrics(std::string_view first_part);

// Whether a change of the base's median is large: |relative| >= delta_rel with |absolute| >= floor,
// or |absolute| >= delta_abs. `change` in the metric's scale: 0.05 = +5 % for a ratio.
bool IsBig(const Metric& metric, double change, double base_median);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_METRIC_H_
