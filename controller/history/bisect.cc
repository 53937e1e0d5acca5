#include "controller/history/bisect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/history/bisect_rounds.h"

namespace shakedown::history {
namespace {

using Kind = BisectTrial::Kind;
using Ending = BisectTrial::Ending;
using Answer = BisectStep::Answer;

// What measuring one candidate takes as a rule: two rounds of four pairs.
constexpr double kStepBoots = 16;
// A culprit with less than this part of the change is not all of it.
constexpr double kWholeChange = 0.75;
constexpr int kMostRefutations = 2;

// Goes through the trials once, in order, and knows at the end what they add up to.
class Replay {
 public:
  Replay(const BisectProblem& problem, const BisectFacts& facts)
      : problem_(problem),
        facts_(facts),
        posterior_(problem.candidates),
        may_measure_(problem.candidates.size(), true) {
    may_measure_.front() = may_measure_.back() = false;
  }

  BisectNext Next() {
    UseIdentities();
    BisectNext next = next_.has_value() ? *std::move(next_) : Steps();
    next.steps = std::move(steps_);
    next.change = change_;
    next.boots = boots_;
    next.leader = static_cast<uint32_t>(posterior_.Leader());
    next.confidence = posterior_.Confidence();
    next.suspects = posterior_.Suspects();
    next.probabilities = posterior_.probabilities();
    if (unverified_) next.suspects.low = std::min<size_t>(next.suspects.low, *unverified_);
    return next;
  }

 private:
  const std::string& Name(size_t candidate) const { return problem_.names[candidate]; }
  size_t Last() const { return problem_.candidates.size() - 1; }

  // The same bytes hold the same changes. Of each group only one is ever measured: an end, else the
  // one that has been, else the first.
  void UseIdentities() {
    std::map<std::string, std::vector<uint32_t>> groups;
    for (size_t i = 0; i < facts_.identity.size(); ++i) {
      if (!facts_.identity[i].empty())
        groups[facts_.identity[i]].push_back(static_cast<uint32_t>(i));
    }
    for (const auto& [identity, group] : groups) {
      const uint32_t chosen = Representative(group);
      for (const uint32_t member : group) {
        if (member == chosen) continue;
        may_measure_[member] = false;
        same_as_[member] = chosen;
        if (!posterior_.Identical(chosen, member)) {
          next_ = End(BisectNext::Kind::kRefused,
                      absl::StrCat(Name(chosen), " and ", Name(member),
                                   " are the same build: nothing between the ends can differ"));
          return;
        }
      }
    }
  }

  uint32_t Representative(const std::vector<uint32_t>& group) const {
    if (group.front() == 0) return 0;
    if (group.back() == Last()) return group.back();
    for (const BisectTrial& trial : facts_.trials) {
      const bool about = trial.kind == Kind::kCandidate && trial.ending != Ending::kIdentical;
      if (about && std::count(group.begin(), group.end(), trial.candidate) > 0) {
        return trial.candidate;
      }
    }
    return group.front();
  }

  BisectNext Steps() {
    const std::vector<BisectTrial>& trials = facts_.trials;
    for (size_t from = 0; from < trials.size();) {
      size_t to = from + 1;
      while (to < trials.size() && trials[to].step == trials[from].step) ++to;
      std::optional<BisectNext> next = OneStep(std::span(trials).subspan(from, to - from));
      steps_.back().confidence = posterior_.Confidence();
      if (next) return *std::move(next);
      from = to;
    }
    return NewStep();
  }

  // nullopt: the step is over and the search goes on.
  std::optional<BisectNext> OneStep(std::span<const BisectTrial> trials) {
    const BisectTrial& last = trials.back();
    BisectStep& step = steps_.emplace_back();
    step.step = last.step;
    step.kind = last.kind;
    step.candidate = last.candidate;
    step.base = last.base;
    uint32_t rounds = 0;
    uint32_t farm_failures = 0;
    for (const BisectTrial& trial : trials) {
      step.boots += trial.boots;
      boots_ += trial.boots;
      step.differences.insert(step.differences.end(), trial.differences.begin(),
                              trial.differences.end());
      const bool lost = trial.ending == Ending::kFarmFailed;
      rounds += lost ? 0 : 1;
      farm_failures = lost ? farm_failures + 1 : 0;
    }
    if (last.ending == Ending::kRunning) return Running(last, step);
    if (last.ending == Ending::kIdentical) return Skip(step, Answer::kIdentical, last.same_as);
    if (farm_failures >= kMostFarmFailures) {
      return End(BisectNext::Kind::kCannotSay,
                 absl::StrCat("the farm failed ", farm_failures, " jobs of ", Name(last.candidate),
                              " one after the other: look at its machines, then start again"));
    }
    if (last.ending == Ending::kCandidateFailed || last.ending == Ending::kBaseFailed) {
      return Failed(last, step);
    }
    const uint32_t blocks = BlocksOfRound(last.kind, rounds);
    if (last.kind == Kind::kEnds) return Ends(step, blocks);
    step.log_odds = LogOdds(step.differences, *change_);
    return last.kind == Kind::kVerify ? Verify(step, blocks) : Candidate(step, blocks);
  }

  BisectNext Running(const BisectTrial& trial, const BisectStep& step) {
    const auto same = same_as_.find(trial.candidate);
    if (trial.kind == Kind::kCandidate && same != same_as_.end() && step.differences.empty()) {
      BisectNext drop;
      drop.kind = BisectNext::Kind::kDrop;
      drop.trial = trial;
      drop.trial.same_as = same->second;
      return drop;
    }
    BisectNext wait;
    wait.text = absl::StrCat("measures ", Name(trial.candidate), " against ", Name(trial.base));
    return wait;
  }

  std::optional<BisectNext> Skip(BisectStep& step, Answer answer, uint32_t same_as) {
    step.answer = answer;
    step.text = answer == Answer::kIdentical
                    ? absl::StrCat("can not differ: the same build as ", Name(same_as))
                    : step.text;
    may_measure_[step.candidate] = false;
    return std::nullopt;
  }

  std::optional<BisectNext> Failed(const BisectTrial& trial, BisectStep& step) {
    const bool base = trial.ending == Ending::kBaseFailed;
    const std::string& name = Name(base ? trial.base : trial.candidate);
    step.answer = Answer::kSkip;
    step.text = absl::StrCat(name, " does not build, boot or perform the loads",
                             trial.why.empty() ? "" : ": ", trial.why);
    if (trial.kind == Kind::kCandidate && !base) return Skip(step, Answer::kSkip, 0);
    if (trial.kind == Kind::kVerify) unverified_ = trial.base;
    return End(
        trial.kind == Kind::kEnds ? BisectNext::Kind::kRefused : BisectNext::Kind::kCannotSay,
        step.text);
  }

  std::optional<BisectNext> Ends(BisectStep& step, uint32_t blocks) {
    change_ = ChangeBetween(step.differences, problem_.min_change);
    if (change_) {
      Learn(step.differences);
      step.answer = Answer::kBad;
      step.text = absl::StrCat("the ends differ by ", ChangeText(problem_, change_->effect));
      return std::nullopt;
    }
    if (blocks > 0 && !NoChangeBetween(step.differences, problem_.min_change)) {
      return More(step, blocks);
    }
    step.answer = Answer::kSkip;
    step.text =
        absl::StrCat(Name(0), " and ", Name(Last()), " do not differ by ",
                     ChangeText(problem_, problem_.min_change).substr(1), " or more, as far as ",
                     step.differences.size(), " blocks tell: nothing to search");
    return End(BisectNext::Kind::kRefused, step.text);
  }

  std::optional<BisectNext> Candidate(BisectStep& step, uint32_t blocks) {
    const StepAnswer answer = AnswerOf(step.log_odds);
    if (answer == StepAnswer::kOpen && blocks > 0) return More(step, blocks);
    Learn(step.differences);
    // What it did say counts, also when it decides nothing.
    posterior_.Measured(step.candidate, step.log_odds);
    step.text = Measured(step);
    if (answer == StepAnswer::kOpen) {
      absl::StrAppend(&step.text, ": not to be told apart");
      return Skip(step, Answer::kSkip, 0);
    }
    step.answer = answer == StepAnswer::kBad ? Answer::kBad : Answer::kGood;
    return std::nullopt;
  }

  std::optional<BisectNext> Verify(BisectStep& step, uint32_t blocks) {
    const bool shown =
        Shows(step.differences, *change_) && AnswerOf(step.log_odds) == StepAnswer::kBad;
    const bool refuted = AnswerOf(step.log_odds) == StepAnswer::kGood;
    if (!shown && !refuted && blocks > 0) return More(step, blocks);
    posterior_.Verified(step.candidate, step.log_odds);
    step.text = Measured(step);
    step.answer = shown ? Answer::kBad : refuted ? Answer::kGood : Answer::kSkip;
    if (shown && posterior_.Leader() == step.candidate &&
        posterior_.Confidence() >= kNamingConfidence) {
      const double part = statistics::Median(step.differences) / change_->effect;
      if (part < kWholeChange) {
        absl::StrAppendFormat(&step.text,
                              ", %.0f %% of what lies between the ends: there may be more changes",
                              100 * part);
      }
      BisectNext found = End(BisectNext::Kind::kFound,
                             absl::StrFormat("%s: %.2f %%, verified: %s", Name(step.candidate),
                                             100 * posterior_.Confidence(), step.text));
      found.culprit = step.candidate;
      return found;
    }
    if (refuted) ++refuted_[step.candidate];
    if (step.answer != Answer::kSkip) return std::nullopt;
    return End(
        BisectNext::Kind::kCannotSay,
        absl::StrCat(Name(step.candidate), " is the likeliest, but it did not show the change of ",
                     ChangeText(problem_, change_->effect), ": ", step.text,
                     ". There may be more than one change"));
  }

  std::string Measured(const BisectStep& step) const {
    return absl::StrCat(ChangeText(problem_, statistics::Median(step.differences)), " against ",
                        Name(step.base), " over ", step.differences.size(), " blocks");
  }

  // Each step tells how noisy all are.
  void Learn(std::span<const double> differences) {
    AddDeviations(differences, &deviations_);
    change_->scale = std::max(ScaleOf(deviations_), std::abs(change_->effect) / 50);
  }

  BisectNext More(const BisectStep& step, uint32_t blocks) {
    return Measure(step.step, step.kind, step.candidate, step.base, blocks);
  }

  BisectNext NewStep() {
    const uint32_t step = steps_.empty() ? 1 : steps_.back().step + 1;
    if (!change_) {
      return Measure(step, Kind::kEnds, static_cast<uint32_t>(Last()), 0,
                     BlocksOfRound(Kind::kEnds, 0));
    }
    const auto leader = static_cast<uint32_t>(posterior_.Leader());
    if (posterior_.Confidence() >= kNamingConfidence) {
      if (refuted_[leader] >= kMostRefutations) return Contradiction(leader);
      return Measure(step, Kind::kVerify, leader,
                     static_cast<uint32_t>(problem_.candidates.ParentOf(leader)),
                     BlocksOfRound(Kind::kVerify, 0));
    }
    const std::optional<size_t> best = posterior_.Best(
        {.step = kStepBoots, .build = problem_.build_boots, .built = facts_.built}, may_measure_);
    if (best) {
      return Measure(step, Kind::kCandidate, static_cast<uint32_t>(*best), 0,
                     BlocksOfRound(Kind::kCandidate, 0));
    }
    const BisectSuspects left = posterior_.Suspects();
    return End(BisectNext::Kind::kCannotSay,
               absl::StrCat("from ", Name(left.low), " to ", Name(left.high),
                            " nothing is left that could be measured and told apart"));
  }

  BisectNext Contradiction(uint32_t leader) const {
    return End(BisectNext::Kind::kCannotSay,
               absl::StrCat(Name(leader), " is the likeliest, but twice it did not differ from ",
                            Name(problem_.candidates.ParentOf(leader)),
                            ": what is measured does not come from one change alone"));
  }

  BisectNext Measure(uint32_t step, Kind kind, uint32_t candidate, uint32_t base, uint32_t blocks) {
    if (boots_ + 2 * blocks > problem_.max_boots) {
      return End(BisectNext::Kind::kCannotSay,
                 absl::StrCat("its ", problem_.max_boots, " boots are spent: ", boots_,
                              ", and the next job would take ", 2 * blocks));
    }
    BisectNext next;
    next.kind = BisectNext::Kind::kMeasure;
    next.trial.step = step;
    next.trial.kind = kind;
    next.trial.candidate = candidate;
    next.trial.base = base;
    next.trial.blocks = blocks;
    next.text = absl::StrCat("measures ", Name(candidate), " against ", Name(base));
    return next;
  }

  static BisectNext End(BisectNext::Kind kind, std::string text) {
    BisectNext end;
    end.kind = kind;
    end.text = std::move(text);
    return end;
  }

  const BisectProblem& problem_;
  const BisectFacts& facts_;
  BisectPosterior posterior_;
  std::vector<bool> may_measure_;
  std::map<uint32_t, uint32_t> same_as_;
  std::optional<SoughtChange> change_;
  std::vector<double> deviations_;
  std::optional<size_t> unverified_;  // A parent that could not be measured.
  std::map<uint32_t, int> refuted_;   // Verifications that showed no change.
  std::optional<BisectNext> next_;
  std::vector<BisectStep> steps_;
  uint32_t boots_ = 0;
};

}  // namespace

BisectNext NextInBisect(const BisectProblem& problem, const BisectFacts& facts) {
  return Replay(problem, facts).Next();
}

std::string ChangeText(const BisectProblem& problem, double difference) {
  if (problem.ratio) return absl::StrFormat("%+.1f %%", 100 * std::expm1(difference));
  return absl::StrFormat("%+.4g%s%s", difference, problem.unit.empty() ? "" : " ", problem.unit);
}

std::string AnswerWord(BisectStep::Answer answer) {
  switch (answer) {
    case Answer::kGood:
      return "good";
    case Answer::kBad:
      return "bad";
    case Answer::kSkip:
      return "skip";
    case Answer::kIdentical:
      return "identical";
    case Answer::kOpen:
      break;
  }
  return "open";
}

}  // namespace shakedown::history
