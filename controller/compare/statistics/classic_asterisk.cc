#include "controller/compare/statistics/classic_asterisk.h"

#include <cmath>

namespace shakedown::statistics {

Side ClassicStar(const Metric& metric, double base_printed, double challenger_printed) {
  const double gain = std::fabs(challenger_printed - base_printed);
  if (gain == 0) return Side::kNone;
  const bool challenger_wins =
      (challenger_printed > base_printed) == (metric.direction == Direction::kHigherIsBetter);
  const double other = std::fabs(challenger_wins ? base_printed : challenger_printed);
  // Decimals such as 30.3 - 25.3 come out a little below 5.
  const double slack = 1e-9;
  const bool large =
      gain >= metric.delta_abs * (1 - slack) || gain >= metric.delta_rel * other * (1 - slack);
  if (!large) return Side::kNone;
  return challenger_wins ? Side::kChallenger : Side::kBase;
}

Stars DefaultStars(const Metric& metric, double base_printed, double challenger_printed,
                   Verdict verdict) {
  Stars stars;
  if (verdict == Verdict::kNotComparable) return stars;
  switch (ClassicStar(metric, base_printed, challenger_printed)) {
    case Side::kNone:
      break;
    case Side::kBase:
      // "worse" says the same of the challenger: nothing to bracket.
      if (verdict != Verdict::kWorse) stars.base = "(*)";
      break;
    case Side::kChallenger:
      stars.challenger = "(*)";
      break;
  }
  if (verdict == Verdict::kBetter) stars.challenger = "*";
  return stars;
}

}  // namespace shakedown::statistics
