// How likely each candidate is the culprit, and what to look at next.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_POSTERIOR_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_POSTERIOR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "controller/history/bisect_candidates.h"

namespace shakedown::history {

struct BisectSuspects {
  size_t low = 0;  // First and last of the 95 % of the probability, 2.5 % cut off on each side.
  size_t high = 0;
};

// Beliefs about which one candidate brought the change: at first all but the good end alike.
// References outlive it.
class BisectPosterior {
 public:
  explicit BisectPosterior(const BisectCandidates& candidates);

  // A candidate's measured log odds of holding the change, against not.
  void Measured(size_t candidate, double log_odds);
  // A candidate against its parent: log odds of having brought the change, against not.
  void Verified(size_t candidate, double log_odds);
  // Two candidates that are one build hold the same changes. False: then no culprit is left, and
  // nothing has changed.
  bool Identical(size_t a, size_t b);

  const std::vector<double>& probabilities() const { return probabilities_; }
  size_t Leader() const;  // The smallest of the likeliest.
  double Confidence() const { return probabilities_[Leader()]; }
  BisectSuspects Suspects() const;

  struct Costs {
    double step = 0;          // Of measuring a candidate whose build is there.
    double build = 0;         // Beside it.
    std::vector<bool> built;  // By candidate.
  };
  // The candidate that promises most information for its cost, among those that may be measured.
  // nullopt: none promises any worth having.
  std::optional<size_t> Best(const Costs& costs, const std::vector<bool>& may_measure) const;

 private:
  void Normalise();

  const BisectCandidates& candidates_;
  std::vector<double> probabilities_;
};

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_POSTERIOR_H_
