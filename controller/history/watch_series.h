// What in a series somebody should look at. A screen, not a verdict: see change_points.h.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_WATCH_SERIES_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_WATCH_SERIES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "controller/compare/statistics/metric.h"
#include "controller/history/change_points.h"
#include "controller/history/series.h"

namespace shakedown::history {

enum class Level {
  kWatch,        // Above 2.5 %.
  kAlarm,        // As large as a verdict's "large": metric.h's IsBig.
  kEnvironment,  // The reference changed between the two sides' dates: not the kernel's doing.
};
std::string LevelWord(Level level);  // "watch", "alarm", "environment".

// Index and medians as in change_points.h; the index counts all points of the series.
struct Change {
  ChangePoint point;
  Level level = Level::kWatch;
};

// Searches each epoch by itself. `control`: as ControlSeries() gives it; changes of a series that
// is not related to the reference are held against those of the control.
std::vector<Change> FindChanges(const Series& series, const std::vector<Point>& control,
                                const statistics::Metric& metric);

// Of the reference by date. An index counts points of the control series.
std::vector<ChangePoint> ControlChanges(const std::vector<Point>& control);

// A reason to run a paired job of points[good] against points[bad].
struct Suspicion {
  size_t good = 0;
  size_t bad = 0;
  double magnitude = 0;
  double p = 1;  // 1: of a newest point, which no test was made of.
  bool improvement = false;
  std::string because;  // One line.
};

// Alarms, and the newest point of the newest epoch when it is far from its segment: more than
// max(delta, 4 * 1.4826 * MAD) off the median of at least 8 points before it. Not of a metric
// whose better side is not known, nor of one that is for information.
std::vector<Suspicion> FindSuspicions(const Series& series, const std::vector<Change>& changes,
                                      const statistics::Metric& metric);

// The newest segment against the one 20 versions back (Hodges-Lehmann), as a part of the older:
// what steps too small to see add up to. At most 10 points of each. nullopt: too few points, or a
// median of 0.
std::optional<double> Drift(const Series& series, const std::vector<Change>& changes);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_WATCH_SERIES_H_
