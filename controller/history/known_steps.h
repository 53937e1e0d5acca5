// Whether a step in a series is one that somebody has seen already.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_KNOWN_STEPS_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_KNOWN_STEPS_H_

#include <cstdint>
#include <vector>

#include "controller/history/series.h"
#include "controller/history/watch_series.h"

namespace shakedown::history {

// A step in (good, bad]: KernelId::id.
struct KnownStep {
  int64_t id = 0;  // The caller's.
  int64_t good = 0;
  int64_t bad = 0;
  bool improvement = false;
};

// The known step whose interval the suspicion's meets one of a known step in the same direction: a
// kernel measured since between good and bad, and a detector that now sees the step one kernel
// away, do not make another. Steps whose kernels are not in the series do not count. Nullptr: none.
const KnownStep* FindKnown(const Numbers& numbers, const Series& series, const Suspicion& suspicion,
                           const std::vector<KnownStep>& known);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_KNOWN_STEPS_H_
