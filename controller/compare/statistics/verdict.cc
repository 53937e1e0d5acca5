#include "controller/compare/statistics/verdict.h"

#include <algorithm>

#include "controller/compare/statistics/multiplicity.h"

namespace shakedown::statistics {
namespace {

constexpr double kSlack = 1e-12;

bool Sufficient(const Effect& effect) {
  return effect.paired ? effect.n_base >= kFewestBlocks
                       : std::min(effect.n_base, effect.n_challenger) >= kFewestUnpaired;
}

// Also of too few boots: a family is fixed before the job starts, and must not shrink because some
// of it was hardly measured.
bool Testable(const Candidate& candidate) {
  return candidate.not_comparable.empty() && candidate.effect;
}

double SmallestP(const Effect& effect) {
  return effect.paired ? SmallestSignedRankP(effect.n_base)
                       : SmallestMannWhitneyP(effect.n_base, effect.n_challenger);
}

// The candidates of one role that are tested together.
std::vector<size_t> Family(std::span<const Candidate> candidates, Role role) {
  std::vector<size_t> family;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].metric.role == role && Testable(candidates[i])) family.push_back(i);
  return family;
}

std::vector<double> POf(std::span<const Candidate> candidates, std::span<const size_t> family) {
  std::vector<double> p;
  for (size_t i : family) p.push_back(candidates[i].effect->p);
  return p;
}

void Set(Judgement& judgement, Verdict verdict, char mark, std::string note = "") {
  judgement.verdict = verdict;
  judgement.mark = mark;
  judgement.note = std::move(note);
}

bool IsBetter(const Metric& metric, double change) {
  return (change > 0) == (metric.direction == Direction::kHigherIsBetter);
}

void NoteCannotReach(Judgement& judgement, const Effect& effect, size_t family,
                     double false_discovery_rate) {
  if (SmallestP(effect) * static_cast<double>(family) <= false_discovery_rate + kSlack) return;
  judgement.cannot_reach = true;
  judgement.note = "cannot reach: a lone difference among " + std::to_string(family) +
                   " secondary metrics needs ";
  judgement.note +=
      effect.paired
          ? std::to_string(PairsForLoneMetric(static_cast<int64_t>(family), false_discovery_rate)) +
                " or more blocks"
          : "more boots";
}

struct Threshold {
  double p;       // What p_adjusted may be at most.
  size_t family;  // Number of metrics tested together.
};

void JudgeTested(const Candidate& candidate, const Threshold& threshold, Judgement& judgement) {
  const Metric& metric = candidate.metric;
  const Effect& effect = *candidate.effect;
  if (effect.paired && effect.n_base < kFewestBlocksToMark) {
    judgement.preliminary = true;
    return Set(judgement, Verdict::kInconclusive, ' ', "preliminary: fewer than 8 blocks");
  }
  if (!effect.interval)
    return Set(judgement, Verdict::kInconclusive, '?',
               "too few boots for an interval at this level");
  const auto [lo, hi] = *effect.interval;
  if (!IsBig(metric, lo, effect.base_median) && !IsBig(metric, hi, effect.base_median))
    return Set(judgement, Verdict::kSame, '=');
  const bool excludes_zero = lo > 0 || hi < 0;
  if (!excludes_zero) return Set(judgement, Verdict::kInconclusive, '?');
  if (*judgement.p_adjusted > threshold.p + kSlack) {
    Set(judgement, Verdict::kInconclusive, '?');
    if (metric.role == Role::kSecondary)
      NoteCannotReach(judgement, effect, threshold.family, threshold.p);
    return;
  }
  const bool better = IsBetter(metric, effect.estimate);
  if (better && candidate.challenger_fails_more)
    return Set(judgement, Verdict::kInconclusive, '?',
               "not called better: the challenger fails more often");
  if (IsBig(metric, effect.estimate, effect.base_median))
    return better ? Set(judgement, Verdict::kBetter, '*') : Set(judgement, Verdict::kWorse, '!');
  Set(judgement, Verdict::kSmall, better ? '+' : '-');
}

// The verdicts that need no test. Returns whether there was one.
bool JudgeUntested(const Candidate& candidate, Judgement& judgement) {
  if (!candidate.not_comparable.empty()) {
    Set(judgement, Verdict::kNotComparable, 'x', candidate.not_comparable);
  } else if (!candidate.effect) {
    Set(judgement, Verdict::kInsufficient, '.', "not measured on both sides");
  } else if (!Sufficient(*candidate.effect)) {
    Set(judgement, Verdict::kInsufficient, '.',
        candidate.effect->paired ? "fewer than 6 blocks" : "fewer than 4 boots on a side");
  } else if (candidate.metric.role == Role::kInfo) {
    Set(judgement, Verdict::kInconclusive, ' ', "for information, not tested");
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kSame:
      return "same";
    case Verdict::kSmall:
      return "small";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kInsufficient:
      return "insufficient";
    case Verdict::kNotComparable:
      return "not_comparable";
  }
  return "";
}

std::vector<Judgement> Judge(std::span<const Candidate> candidates, const JudgeOptions& options) {
  std::vector<Judgement> judgements(candidates.size());
  const std::vector<size_t> primaries = Family(candidates, Role::kPrimary);
  const std::vector<size_t> secondaries = Family(candidates, Role::kSecondary);
  const std::vector<double> holm = Holm(POf(candidates, primaries));
  const std::vector<double> bh = BenjaminiHochberg(POf(candidates, secondaries));
  for (size_t i = 0; i < primaries.size(); ++i) judgements[primaries[i]].p_adjusted = holm[i];
  for (size_t i = 0; i < secondaries.size(); ++i) judgements[secondaries[i]].p_adjusted = bh[i];
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (JudgeUntested(candidates[i], judgements[i])) continue;
    const Threshold threshold = candidates[i].metric.role == Role::kPrimary
                                    ? Threshold{1 - options.primary_level, primaries.size()}
                                    : Threshold{options.false_discovery_rate, secondaries.size()};
    JudgeTested(candidates[i], threshold, judgements[i]);
  }
  return judgements;
}

bool AllPrimariesDecided(std::span<const Candidate> candidates,
                         std::span<const Judgement> judgements) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].metric.role != Role::kPrimary) continue;
    const Verdict verdict = judgements[i].verdict;
    if (verdict == Verdict::kInconclusive || verdict == Verdict::kInsufficient) return false;
  }
  return true;
}

}  // namespace shakedown::statistics
