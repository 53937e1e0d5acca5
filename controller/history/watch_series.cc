#include "controller/history/watch_series.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/hodges_lehmann.h"

namespace shakedown::history {
namespace {

constexpr size_t kFewestForSuspect = 8;
constexpr size_t kVersionsBack = 20;
constexpr size_t kDriftPoints = 10;
constexpr size_t kFewestForDrift = 3;
constexpr double kSpreads = 4 * 1.4826;  // Of the MAD, as a normal standard deviation.

std::vector<double> Medians(const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.median);
  return values;
}

struct Range {
  size_t from, to;
};
std::vector<Range> Epochs(const Series& series) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < series.points.size(); ++i) {
    if (i == 0 || series.points[i].epoch != series.points[i - 1].epoch) ranges.push_back({i, i});
    ranges.back().to = i + 1;
  }
  return ranges;
}

// From `before` to `after` as IsBig wants it. Values that are related to a reference have no unit:
// a ratio of 1.06 to one of 1.00 is 6 %, whatever the floor.
bool IsLarge(const Series& series, const statistics::Metric& metric, double before, double after) {
  if (series.relative && metric.scale == statistics::Scale::kRatio) {
    return before > 0 && std::fabs(after / before - 1) >= metric.delta_rel;
  }
  if (metric.scale == statistics::Scale::kRatio) {
    if (!(before > 0) || !(after > 0)) return before != after;
    return statistics::IsBig(metric, after / before - 1, before);
  }
  return statistics::IsBig(metric, after - before, before);
}

// The smallest change of `median` that is large.
double Delta(const Series& series, const statistics::Metric& metric, double median) {
  const double part = metric.delta_rel * std::fabs(median);
  if (series.relative && metric.scale == statistics::Scale::kRatio) return part;
  return std::min(std::max(part, metric.floor), metric.delta_abs);
}

// Whether the reference changed between the dates at which the two sides were measured.
bool BesideControl(const Series& series, const ChangePoint& change,
                   const std::vector<Point>& control, const std::vector<ChangePoint>& moves) {
  const absl::Time good = series.points[change.index - 1].newest;
  const absl::Time bad = series.points[change.index].newest;
  return std::any_of(moves.begin(), moves.end(), [&](const ChangePoint& move) {
    const absl::Time at = control[move.index].newest;
    return std::min(good, bad) < at && at <= std::max(good, bad);
  });
}

bool Improves(const statistics::Metric& metric, double before, double after) {
  return (after < before) == (metric.direction == statistics::Direction::kLowerIsBetter);
}

double Part(double before, double after) {
  if (before == 0) return after == 0 ? 0 : std::copysign(INFINITY, after);
  return (after - before) / std::fabs(before);
}

std::string PartText(double part) {
  return std::isinf(part) ? "from 0" : absl::StrFormat("%+.1f%%", 100 * part);
}

// Where the regime of the last point begins.
size_t NewestSegment(const Series& series, const std::vector<Change>& changes) {
  const size_t from = Epochs(series).back().from;
  return changes.empty() ? from : std::max(from, changes.back().point.index);
}

std::optional<Suspicion> SuspectNewest(const Series& series, const std::vector<Change>& changes,
                                       const statistics::Metric& metric) {
  const size_t newest = series.points.size() - 1;
  const size_t from = NewestSegment(series, changes);
  if (newest - from < kFewestForSuspect) return std::nullopt;
  std::vector<double> values = Medians(series.points);
  const std::span<const double> before(&values[from], newest - from);
  const double median = statistics::Median(before);
  const double off = std::fabs(values[newest] - median);
  const double limit = std::max(Delta(series, metric, median), kSpreads * statistics::Mad(before));
  if (!(off > limit)) return std::nullopt;
  Suspicion suspicion;
  suspicion.good = newest - 1;
  suspicion.bad = newest;
  suspicion.magnitude = std::fabs(Part(median, values[newest]));
  suspicion.improvement = Improves(metric, median, values[newest]);
  suspicion.because =
      absl::StrFormat("the newest kernel is %s off the median of the %d before it, more than %.4g",
                      PartText(Part(median, values[newest])), newest - from, limit);
  return suspicion;
}

}  // namespace

std::string LevelWord(Level level) {
  if (level == Level::kWatch) return "watch";
  return level == Level::kAlarm ? "alarm" : "environment";
}

std::vector<ChangePoint> ControlChanges(const std::vector<Point>& control) {
  return FindChangePoints(Medians(control), {});
}

std::vector<Change> FindChanges(const Series& series, const std::vector<Point>& control,
                                const statistics::Metric& metric) {
  const std::vector<ChangePoint> moves = ControlChanges(control);
  const std::vector<double> values = Medians(series.points);
  std::vector<Change> changes;
  for (const Range& epoch : Epochs(series)) {
    const std::span<const double> part(values.data() + epoch.from, epoch.to - epoch.from);
    for (ChangePoint point : FindChangePoints(part, {})) {
      point.index += epoch.from;
      Change& change = changes.emplace_back();
      change.point = point;
      if (IsLarge(series, metric, point.before_median, point.after_median)) {
        change.level = Level::kAlarm;
      }
      if (!series.relative && BesideControl(series, point, control, moves)) {
        change.level = Level::kEnvironment;
      }
    }
  }
  return changes;
}

std::vector<Suspicion> FindSuspicions(const Series& series, const std::vector<Change>& changes,
                                      const statistics::Metric& metric) {
  std::vector<Suspicion> all;
  if (series.points.empty() || metric.role == statistics::Role::kInfo) return all;
  for (const Change& change : changes) {
    if (change.level != Level::kAlarm) continue;
    const ChangePoint& point = change.point;
    Suspicion& suspicion = all.emplace_back();
    suspicion.good = point.index - 1;
    suspicion.bad = point.index;
    suspicion.magnitude = point.magnitude;
    suspicion.p = point.p;
    suspicion.improvement = Improves(metric, point.before_median, point.after_median);
    suspicion.because = absl::StrFormat(
        "a step of %s, p %.2g", PartText(Part(point.before_median, point.after_median)), point.p);
  }
  if (const auto newest = SuspectNewest(series, changes, metric)) all.push_back(*newest);
  return all;
}

std::optional<double> Drift(const Series& series, const std::vector<Change>& changes) {
  if (series.points.empty()) return std::nullopt;
  const size_t from = Epochs(series).back().from;
  const size_t end = series.points.size();
  if (end - from <= kVersionsBack + kFewestForDrift) return std::nullopt;
  const size_t newest = std::max(NewestSegment(series, changes), end - kDriftPoints);
  const size_t then = end - kVersionsBack;  // Behind the last point of the older side.
  size_t older = from;
  for (const Change& change : changes) {
    if (change.point.index < then) older = std::max(older, change.point.index);
  }
  older = std::max(older, then > kDriftPoints ? then - kDriftPoints : 0);
  if (end - newest < kFewestForDrift || then - older < kFewestForDrift) return std::nullopt;
  const std::vector<double> values = Medians(series.points);
  const std::span<const double> before(&values[older], then - older);
  const std::span<const double> now(&values[newest], end - newest);
  const double base = statistics::Median(before);
  if (base == 0) return std::nullopt;
  return statistics::HodgesLehmannShift(before, now, 0.95).estimate / std::fabs(base);
}

}  // namespace shakedown::history
