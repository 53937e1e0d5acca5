// A bisect as a whole: from all that was measured so far to what is to be done next. Nothing is
// kept beside the trials, so whoever reads them again decides the same.
//
// It begins with the ends against each other, which tells how large the change is and how much it
// is hidden in noise. Then candidates are measured against the good end, in paired blocks, until
// each is good, bad or not to be told apart; their odds move the beliefs (bisect_posterior.h). A
// candidate that is the culprit at 95 % is measured against its parent, and named when that shows
// the change as well and leaves it at 95 %.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/history/bisect_candidates.h"
#include "controller/history/bisect_evidence.h"
#include "controller/history/bisect_posterior.h"

namespace shakedown::history {

inline constexpr double kNamingConfidence = 0.95;
inline constexpr uint32_t kDefaultMaxBoots = 2000;
// The farm may fail so many trials one after the other; then someone must look.
inline constexpr uint32_t kMostFarmFailures = 5;

struct BisectProblem {
  BisectCandidates candidates;
  std::vector<std::string> names;  // Of the candidates' kernels.
  double min_change = 0;  // In the scale of the differences: log(1.05) for 5 %, or in the unit.
  uint32_t max_boots = kDefaultMaxBoots;
  double build_boots = 10;  // What a build costs, in boots.
  bool ratio = true;        // The differences are logarithms of ratios; else in `unit`.
  std::string unit;
};

// One job: `blocks` pairs of `base` and `candidate`.
struct BisectTrial {
  enum class Kind { kEnds, kCandidate, kVerify };
  enum class Ending {
    kRunning,
    kMeasured,         // At least one pair.
    kCandidateFailed,  // It does not build, boot or perform the loads.
    kBaseFailed,       // Likewise, what it was to be measured against.
    kFarmFailed,       // Tells nothing; also a job that someone cancelled.
    kIdentical,        // Ended because its build is that of `same_as`.
  };
  uint32_t step = 1;  // Trials of one step are about one question.
  Kind kind = Kind::kEnds;
  uint32_t candidate = 0;
  uint32_t base = 0;
  uint32_t blocks = 0;
  Ending ending = Ending::kRunning;
  std::vector<double> differences;  // One a block measured on both sides.
  uint32_t boots = 0;               // That were performed.
  uint32_t same_as = 0;
  std::string why;  // Of a failure, for people.
};

struct BisectFacts {
  std::vector<BisectTrial> trials;    // In their order; only the last may be running.
  std::vector<std::string> identity;  // By candidate: what its build is; empty: not known.
  std::vector<bool> built;            // By candidate: its build is there.
};

struct BisectStep {
  enum class Answer { kOpen, kGood, kBad, kSkip, kIdentical };
  uint32_t step = 0;
  BisectTrial::Kind kind = BisectTrial::Kind::kEnds;
  uint32_t candidate = 0;
  uint32_t base = 0;
  Answer answer = Answer::kOpen;
  double log_odds = 0;
  uint32_t boots = 0;
  std::vector<double> differences;
  double confidence = 0;  // Of the likeliest culprit afterwards.
  std::string text;
};

struct BisectNext {
  enum class Kind {
    kWait,       // The last trial runs.
    kMeasure,    // Begin `trial`.
    kDrop,       // The last trial can not tell anything new: its build is that of `trial.same_as`.
    kFound,      // `culprit`.
    kCannotSay,  // The culprit is among `suspects`, and no more can be done about it.
    kRefused,    // There is nothing to search.
  };
  Kind kind = Kind::kWait;
  BisectTrial trial;
  uint32_t culprit = 0;
  uint32_t leader = 0;    // The likeliest culprit so far,
  double confidence = 0;  // and how likely.
  BisectSuspects suspects;
  std::vector<double> probabilities;  // By candidate: that it is the culprit.
  uint32_t boots = 0;
  std::optional<SoughtChange> change;  // Once the ends are known to differ.
  std::vector<BisectStep> steps;
  std::string text;  // Why it ends, or what comes next.
};

// `facts` fit to `problem`: names, identity and built have candidates.size() elements.
BisectNext NextInBisect(const BisectProblem& problem, const BisectFacts& facts);

// "+5.1 %" of a logarithm, or "+3.2 ms".
std::string ChangeText(const BisectProblem& problem, double difference);
// "good", "bad", "skip", "identical", "open".
std::string AnswerWord(BisectStep::Answer answer);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_H_
