// From intervals to words. One call judges all metrics of a comparison, because the adjustment for
// being many needs them together.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_VERDICT_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_VERDICT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/compare/statistics/effect.h"
#include "controller/compare/statistics/looks.h"
#include "controller/compare/statistics/metric.h"

namespace shakedown::statistics {

enum class Verdict { kBetter, kWorse, kSame, kSmall, kInconclusive, kInsufficient, kNotComparable };

// "better" … "not_comparable".
std::string_view VerdictName(Verdict verdict);

struct Candidate {
  Metric metric;
  std::optional<Effect> effect;        // nullopt: nothing was measured on one of the sides.
  std::string not_comparable = {};     // Why the sides must not be compared; empty: they may be.
  bool challenger_fails_more = false;  // Then it is never called better.
};

struct Judgement {
  Verdict verdict;
  // '*' better, '!' worse, '+' or '-' small but real, '=' same, '?' inconclusive, '.' insufficient,
  // 'x' not comparable; ' ' where no mark may be: preliminary intervals and metrics for
  // information.
  char mark;
  std::optional<double> p_adjusted;  // Holm (primary) or Benjamini-Hochberg (secondary).
  bool preliminary = false;          // 6 or 7 blocks.
  // Secondary metrics: with so many of them no lone difference can pass at this number of boots.
  bool cannot_reach = false;
  std::string note;  // One clause for a footnote; empty: nothing to say.
};

struct JudgeOptions {
  double primary_level = kSingleLookLevel;  // Holm at 1 - this; the intervals' level as well.
  double false_discovery_rate = kFalseDiscoveryRate;
};

// In the order of the candidates. The interval of each effect is taken as it is.
std::vector<Judgement> Judge(std::span<const Candidate> candidates, const JudgeOptions& options);

// Whether a job may stop at this look: every primary metric has a verdict that more blocks are not
// needed for. True without primaries.
bool AllPrimariesDecided(std::span<const Candidate> candidates,
                         std::span<const Judgement> judgements);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_VERDICT_H_
