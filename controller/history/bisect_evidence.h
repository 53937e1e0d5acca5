// What the paired differences of one step say: does a kernel hold the change, or not?
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_EVIDENCE_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_EVIDENCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::history {

// The change that is searched for, as the step between the two ends measured it. Differences are
// one a block: log(B/A) or B - A.
struct SoughtChange {
  double effect = 0;        // Hodges-Lehmann, not 0,
  double effect_error = 0;  // and its standard error.
  double scale = 0;         // Of one block's difference: 1.4826 * MAD.
};

// One step never says more than this: no model of noise is better than that.
inline constexpr double kMostOdds = 99;
// A step is decided at these odds. Looked at after every few blocks, p(data | bad)/p(data | good)
// crosses 19 in at most 1/19 of the good ones, whatever the number of looks (Ville's inequality;
// Wald, "Sequential tests of statistical hypotheses", 1945).
inline constexpr double kDecidingOdds = 19;

// Natural logarithm of p(differences | bad) / p(differences | good). Each difference is a Student t
// of 5 degrees of freedom, so that a spike says little, around 0 or around the effect; what is not
// known for sure of the effect and of the scale is averaged over. Within +-log(kMostOdds); 0
// without differences.
double LogOdds(std::span<const double> differences, const SoughtChange& change);

enum class StepAnswer { kOpen, kGood, kBad };
StepAnswer AnswerOf(double log_odds);

// How far the noise of `differences` goes, as SoughtChange.scale, from values around several
// centres: the deviations of each group from its own. Of no effect on 0 values.
void AddDeviations(std::span<const double> group, std::vector<double>* deviations);
double ScaleOf(std::span<const double> deviations);

// Whether the ends differ, after all of `differences`: looked at after 8, 16 and 24 blocks
// (statistics/looks.h), so at the level for three looks. nullopt: not shown, or, with fewer than
// 24, too roughly known to tell candidates by it.
std::optional<SoughtChange> ChangeBetween(std::span<const double> differences, double min_change);
// The whole interval lies within +-min_change: more blocks will not show a change.
bool NoChangeBetween(std::span<const double> differences, double min_change);

// The verification's own words: its interval at the level for three looks excludes 0 on the side of
// the change.
bool Shows(std::span<const double> differences, const SoughtChange& change);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_EVIDENCE_H_
