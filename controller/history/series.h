// Summaries of boots as series over kernels.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_SERIES_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_SERIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "controller/compare/statistics/metric.h"
#include "controller/history/kernel_filter.h"

namespace shakedown::history {

// One boot's number: the median of its measured iterations.
struct BootNumber {
  int kernel = 0;  // Index into Numbers::kernels,
  int epoch = 0;   // and of Numbers::epochs.
  int64_t job = 0;
  uint32_t block = 0;
  uint32_t variant = 0;
  uint32_t attempt = 1;
  double median = 0;
  absl::Time ended;
};
// All that is known of one metric of one load on one machine: kernels of every class.
struct Numbers {
  std::vector<KernelId> kernels;
  std::vector<BootNumber> boots;  // In any order.
};

struct Point {
  int kernel = 0;  // Index into Numbers::kernels.
  int epoch = 1;   // From 1, by the time of their first boots.
  double median = 0;
  double mad = 0;
  std::vector<const BootNumber*> boots;  // By job, block.
  absl::Time newest;
};

// One configuration class. Points by epoch, then in kernel order; kernels of equal versions by
// name.
struct Series {
  std::string class_name;
  std::vector<Point> points;
  bool relative =
      false;            // Values are ratios (or differences, as the metric has it) to `reference`.
  size_t left_out = 0;  // Boots without the reference in their block.
  std::vector<int> epochs;  // Of Numbers, by number.
};

struct SeriesOptions {
  bool absolute = false;
  std::string since, until;  // As KernelFilter takes them.
  std::vector<std::string> patterns;
};

// The kernel that recurs as the baseline: in most jobs, at least three; of equals the oldest
// version. nullopt: none does, and nothing can be related to anything.
std::optional<int> PinnedReference(const Numbers& numbers);

// The series of every class, by class. With a reference that was in the same blocks for at least
// three quarters of a class's kernels its values are related to it, boot by boot, which takes the
// machine's drift out; the others are left out and counted. Else, or with `absolute`, as measured.
std::vector<Series> BuildSeries(const Numbers& numbers, const statistics::Metric& metric,
                                const SeriesOptions& options);

// The reference's own values, a point a job, by date: what changes there is the environment.
// Pointers of the result point into `numbers`.
std::vector<Point> ControlSeries(const Numbers& numbers);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_SERIES_H_
