// How often a kernel failed: shown beside its speed.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SURVIVAL_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SURVIVAL_H_

#include <cstdint>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::statistics {

struct FailureRate {
  int64_t failures;
  int64_t boots;
  Interval interval;  // Clopper-Pearson: exact, covers at least the level. [0, 1] of no boots.
};

FailureRate FailuresOf(int64_t failures, int64_t boots, double level = 0.95);

// Whether `challenger` failed at a higher rate: then it is never called better.
bool FailsMore(const FailureRate& challenger, const FailureRate& base);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_SURVIVAL_H_
