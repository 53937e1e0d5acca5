// Where a series of results took a step. A screen, not a verdict: what it finds is a reason to run
// a paired job.
//
// Candidates come from E-divisive (Matteson and James, "A nonparametric approach for multiple
// change point analysis", 2014) without its permutation test, whose answers depend on a random
// seed: a pooled t test decides, so the same series always gives the same points.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_CHANGE_POINTS_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_CHANGE_POINTS_H_

#include <cstddef>
#include <span>
#include <vector>

namespace shakedown::history {

struct ChangePointOptions {
  // Steps of at most this part are dropped: 0.025 lists what to watch, 0.05 raises an alarm.
  double min_magnitude = 0.025;
  size_t window = 50;      // Points searched together,
  size_t step = 25;        // and how far the search moves on when it found nothing.
  double split_p = 0.01;   // A candidate is kept for the next stage below this,
  double final_p = 0.001;  // and is a change point below this.
  size_t min_segment = 3;  // Points that a regime has at least.
};

struct ChangePoint {
  size_t index = 0;      // Of the first point of the new regime, from 0.
  double magnitude = 0;  // Larger of |after/before - 1| and |before/after - 1| of the medians;
                         // infinite when one is 0.
  double p = 1;          // Pooled two-sided Student t test of the two regimes.
  double before_median = 0;
  double after_median = 0;
};

// `series`: finite values in their order. Ascending by index; empty for a series of fewer than two
// regimes' points.
std::vector<ChangePoint> FindChangePoints(std::span<const double> series,
                                          const ChangePointOptions& options = {});

// The pieces, for tests.

// The strongest candidate of `series`: the place tau and the end kappa of the right side that
// maximise
//   Q = nm/(n+m) * (2 * mean|x-y| - mean over pairs|x-x'| - mean over pairs|y-y'|),
// x the n values before tau, y the m values from tau to kappa. Ties: the smallest tau, then the
// smallest kappa.
struct Candidate {
  size_t tau = 0;
  size_t kappa = 0;
  double q = 0;
};
// `series` has at least two values.
Candidate StrongestCandidate(std::span<const double> series);

// Two-sided p of the pooled t test, sample variances; a side of one value adds no variance. Without
// any variance: 0 when the means differ, else 1. Neither side is empty.
double PooledTTest(std::span<const double> before, std::span<const double> after);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_CHANGE_POINTS_H_
