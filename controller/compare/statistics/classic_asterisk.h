// The asterisk of the 2010 interbench post: "values are significantly better. >= 5% or 5ms is
// considered significant". It looks at two printed values and knows nothing of uncertainty.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_CLASSIC_ASTERISK_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_CLASSIC_ASTERISK_H_

#include <string_view>

#include "controller/compare/statistics/metric.h"
#include "controller/compare/statistics/verdict.h"

namespace shakedown::statistics {

enum class Side { kNone, kBase, kChallenger };

// The better side when it gains at least delta_abs (5 ms, 5 points) or at least delta_rel (5 %) of
// the other value. The literal rule: no floor, so 0.0 against 0.1 ms is starred. The values as they
// are printed, rounded.
Side ClassicStar(const Metric& metric, double base_printed, double challenger_printed);

// What stands beside the printed values when verdicts decide: "*" for a challenger judged better,
// "(*)" on the side the classic rule alone would star, else "".
struct Stars {
  std::string_view base;
  std::string_view challenger;
};
Stars DefaultStars(const Metric& metric, double base_printed, double challenger_printed,
                   Verdict verdict);

// Below the header of everything starred by the classic rule.
inline constexpr char kClassicNotice[] = "classic rule, no uncertainty";

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_CLASSIC_ASTERISK_H_
