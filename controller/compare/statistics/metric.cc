#include "controller/compare/statistics/metric.h"

#include <algorithm>
#include <cmath>

namespace shakedown::statistics {
namespace {

struct Entry {
  std::string_view pattern;  // '*' stands for one part between dots.
  Direction direction;
  Scale scale;
  std::string_view unit;
  double resolution;
  Role role;
};

constexpr Direction kLower = Direction::kLowerIsBetter;
constexpr Direction kHigher = Direction::kHigherIsBetter;

// interbench prints one decimal of a millisecond and three significant digits of a percentage; both
// can be 0. latt prints whole microseconds and never reaches 0.
constexpr Entry kRegistry[] = {
    {"make.real", kLower, Scale::kRatio, "s", 0.001, Role::kPrimary},
    {"make.cold.real", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"make.user", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"make.sys", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    // CPU time left unused while make had work waiting.
    {"make.idle", kLower, Scale::kDifference, "%", 0.1, Role::kSecondary},
    {"make.majflt", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.ctxt", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.ctxt.voluntary", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.ctxt.involuntary", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.cold.user", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"make.cold.sys", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"make.cold.idle", kLower, Scale::kDifference, "%", 0.1, Role::kSecondary},
    {"make.cold.majflt", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.cold.ctxt", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.cold.ctxt.*", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.cold.objects", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"make.objects", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"latt.wakeup.avg", kLower, Scale::kRatio, "us", 1, Role::kPrimary},
    {"latt.wakeup.max", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.wakeup.p50", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.wakeup.p95", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.wakeup.p99", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.wakeup.p99.9", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.wakeup.worst1pct", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.wakeup.stdev", kLower, Scale::kRatio, "us", 1, Role::kInfo},
    {"latt.work.avg", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.max", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.p50", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.p95", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.p99", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.p99.9", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.worst1pct", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"latt.work.stdev", kLower, Scale::kRatio, "us", 1, Role::kInfo},
    {"latt.entries", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"latt.*.n", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"latt.command.real", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"latt.command.user", kLower, Scale::kRatio, "s", 0.001, Role::kInfo},
    {"latt.command.sys", kLower, Scale::kRatio, "s", 0.001, Role::kInfo},
    {"latt.command.status", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"latt.command.runs", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.*.*.latency.avg", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"interbench.*.*.latency.max", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"interbench.*.*.latency.p50", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"interbench.*.*.latency.p95", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"interbench.*.*.latency.p99", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"interbench.*.*.latency.p99.9", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"interbench.*.*.latency.worst1pct", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    // Spread inside a boot, and counts that the percentages are made of.
    {"interbench.*.*.latency.sd", kLower, Scale::kDifference, "ms", 0.1, Role::kInfo},
    {"interbench.*.*.latency.rms", kLower, Scale::kDifference, "ms", 0.1, Role::kInfo},
    // In real time latencies are told, and printed, in microseconds.
    {"interbench.rt.*.*.latency.avg", kLower, Scale::kDifference, "us", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.latency.max", kLower, Scale::kDifference, "us", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.latency.p50", kLower, Scale::kDifference, "us", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.latency.p95", kLower, Scale::kDifference, "us", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.latency.p99", kLower, Scale::kDifference, "us", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.latency.p99.9", kLower, Scale::kDifference, "us", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.latency.sd", kLower, Scale::kDifference, "us", 0.1, Role::kInfo},
    {"interbench.rt.*.*.latency.rms", kLower, Scale::kDifference, "us", 0.1, Role::kInfo},
    {"interbench.rt.*.*.met", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.rt.*.*.missed", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.rt.*.*.achieved", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.rt.*.*.n", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.rt.*.*.desired_cpu", kHigher, Scale::kDifference, "%", 0.1, Role::kSecondary},
    {"interbench.rt.*.*.deadlines_met", kHigher, Scale::kDifference, "%", 0.1, Role::kSecondary},
    {"interbench.*.*.met", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.*.*.missed", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.*.*.achieved", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.*.*.n", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    // Pinned for a machine: two boots whose values differ burned different amounts of work.
    {"interbench.loops_per_ms", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"interbench.*.*.desired_cpu", kHigher, Scale::kDifference, "%", 0.1, Role::kSecondary},
    {"interbench.*.*.deadlines_met", kHigher, Scale::kDifference, "%", 0.1, Role::kSecondary},
    // Never 0: a process takes time to start.
    {"launch.*.avg", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"launch.*.p50", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"launch.*.p95", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"launch.*.p99", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"launch.*.max", kLower, Scale::kRatio, "us", 1, Role::kSecondary},
    {"launch.*.n", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"frames.fps", kHigher, Scale::kDifference, "1/s", 0.01, Role::kSecondary},
    {"frames.dropped.share", kLower, Scale::kDifference, "%", 0.1, Role::kSecondary},
    {"frames.freeze", kLower, Scale::kDifference, "ms", 0.1, Role::kSecondary},
    {"frames.jitter", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.time.avg", kLower, Scale::kDifference, "ms", 0.01, Role::kInfo},  // 1 / fps.
    {"frames.time.p50", kLower, Scale::kDifference, "ms", 0.01, Role::kInfo},
    {"frames.time.p95", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.time.p99", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.time.max", kLower, Scale::kDifference, "ms", 0.01, Role::kInfo},  // In the freeze.
    {"frames.start.avg", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.start.p50", kLower, Scale::kDifference, "ms", 0.01, Role::kInfo},
    {"frames.start.p95", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.start.p99", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.start.max", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"frames.due", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"frames.shown", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"frames.late", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"frames.dropped", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"frames.loops_per_ms", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"command.real", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"command.user", kLower, Scale::kDifference, "s", 0.001, Role::kSecondary},  // Can be 0.
    {"command.sys", kLower, Scale::kDifference, "s", 0.001, Role::kSecondary},
    {"command.copy.avg", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"command.copy.max", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"command.majflt", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"command.ctxt.*", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"command.exit_code", kLower, Scale::kDifference, "1", 1, Role::kInfo},
    {"hackbench.time", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"hackbench.tasks", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"cyclictest.min", kLower, Scale::kDifference, "us", 1, Role::kInfo},
    {"cyclictest.avg", kLower, Scale::kDifference, "us", 1, Role::kSecondary},
    {"cyclictest.max", kLower, Scale::kDifference, "us", 1, Role::kSecondary},
    {"cyclictest.n", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"stress-ng.*.rate", kHigher, Scale::kRatio, "1/s", 0.01, Role::kSecondary},
    {"stress-ng.*.ops", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"sysbench.rate", kHigher, Scale::kRatio, "1/s", 0.01, Role::kSecondary},
    {"sysbench.events", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"sysbench.latency.avg", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"sysbench.latency.p95", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"sysbench.latency.max", kLower, Scale::kDifference, "ms", 0.01, Role::kSecondary},
    {"perf-messaging.time", kLower, Scale::kRatio, "s", 0.001, Role::kSecondary},
    {"perf-messaging.tasks", kHigher, Scale::kDifference, "1", 1, Role::kInfo},
    {"perf-pipe.time", kLower, Scale::kRatio, "s", 0.001, Role::kInfo},  // What op says, times n.
    {"perf-pipe.op", kLower, Scale::kRatio, "us", 0.001, Role::kSecondary},
    {"perf-pipe.rate", kHigher, Scale::kRatio, "1/s", 1, Role::kInfo},  // 1 / op.
    {"tool.real", kLower, Scale::kRatio, "s", 0.001, Role::kInfo},
};

// Compares part by part, so a name with more or fewer dots never matches.
bool Matches(std::string_view pattern, std::string_view name) {
  for (;;) {
    const size_t pattern_dot = pattern.find('.');
    const size_t name_dot = name.find('.');
    const std::string_view want = pattern.substr(0, pattern_dot);
    const std::string_view have = name.substr(0, name_dot);
    if (want == "*" ? have.empty() : want != have) return false;
    if (pattern_dot == std::string_view::npos || name_dot == std::string_view::npos)
      return pattern_dot == name_dot;
    pattern.remove_prefix(pattern_dot + 1);
    name.remove_prefix(name_dot + 1);
  }
}

// Units of a millisecond; 0 when the unit is no time.
double PerMillisecond(std::string_view unit) {
  if (unit == "s") return 1e-3;
  if (unit == "ms") return 1;
  if (unit == "us" || unit == "usec") return 1e3;
  if (unit == "ns") return 1e6;
  return 0;
}

// A change computed to be just at a threshold is at it: 105 / 100 - 1 is a little less than 0.05.
bool AtLeast(double value, double threshold) { return value >= threshold * (1 - 1e-12); }

}  // namespace

Metric MakeMetric(std::string_view name, Direction direction, Scale scale, std::string_view unit,
                  double resolution, Role role) {
  Metric metric;
  metric.name = name;
  metric.direction = direction;
  metric.scale = scale;
  metric.unit = unit;
  metric.resolution = resolution;
  metric.role = role;
  const double per_millisecond = PerMillisecond(unit);
  metric.floor = std::max(2 * resolution, 0.1 * per_millisecond);
  if (unit == "%") metric.delta_abs = 5;
  if (per_millisecond > 0 && unit != "s") metric.delta_abs = 5 * per_millisecond;
  return metric;
}

std::optional<Metric> FindMetric(std::string_view name) {
  for (const Entry& entry : kRegistry)
    if (Matches(entry.pattern, name))
      return MakeMetric(name, entry.direction, entry.scale, entry.unit, entry.resolution,
                        entry.role);
  return std::nullopt;
}

std::vector<std::string_view> KnownMetrics(std::string_view first_part) {
  std::vector<std::string_view> names;
  for (const Entry& entry : kRegistry) {
    const std::string_view first = entry.pattern.substr(0, entry.pattern.find('.'));
    if (entry.role != Role::kInfo && (first_part.empty() || first == first_part))
      names.push_back(entry.pattern);
  }
  return names;
}

bool IsBig(const Metric& metric, double change, double base_median) {
  const double size = std::fabs(change);
  if (size == 0) return false;
  const double base = std::fabs(base_median);
  const double absolute = metric.scale == Scale::kRatio ? size * base : size;
  const double relative = metric.scale == Scale::kRatio ? size
                          : base > 0                    ? size / base
                                                        : std::numeric_limits<double>::infinity();
  return (AtLeast(relative, metric.delta_rel) && AtLeast(absolute, metric.floor)) ||
         AtLeast(absolute, metric.delta_abs);
}

}  // namespace shakedown::statistics
