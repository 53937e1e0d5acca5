#include "controller/service/bisect_problem.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "controller/compare/statistics/metric.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

using Kind = history::BisectTrial::Kind;
using Ending = history::BisectTrial::Ending;

constexpr size_t kLikeInName = 48;  // With "-g" and 12 digits a name of 64.
constexpr size_t kDigitsInName = 12;

struct KindWord {
  Kind kind;
  const char* word;
};
constexpr KindWord kKinds[] = {
    {Kind::kEnds, "ends"}, {Kind::kCandidate, "candidate"}, {Kind::kVerify, "verify"}};
struct EndingWord {
  Ending ending;
  const char* word;
};
constexpr EndingWord kEndings[] = {
    {Ending::kRunning, "running"},        {Ending::kMeasured, "measured"},
    {Ending::kBaseFailed, "base_failed"}, {Ending::kCandidateFailed, "candidate_failed"},
    {Ending::kFarmFailed, "farm_failed"}, {Ending::kIdentical, "identical"}};

const char* Word(Kind kind) {
  return std::find_if(std::begin(kKinds), std::end(kKinds),
                      [&](const KindWord& k) { return k.kind == kind; })
      ->word;
}
const char* Word(Ending ending) {
  return std::find_if(std::begin(kEndings), std::end(kEndings),
                      [&](const EndingWord& e) { return e.ending == ending; })
      ->word;
}

absl::StatusOr<history::BisectCandidates> CandidatesOf(const v1::StartBisectRequest& request) {
  if (request.parents().empty()) {
    return history::BisectCandidates::List(static_cast<size_t>(request.candidates_size()));
  }
  if (request.parents_size() != request.candidates_size()) {
    return absl::InvalidArgumentError(absl::StrCat("parents of ", request.parents_size(),
                                                   " candidates: want those of all ",
                                                   request.candidates_size()));
  }
  std::vector<std::vector<uint32_t>> parents;
  for (const auto& of : request.parents()) {
    parents.emplace_back(of.candidates().begin(), of.candidates().end());
  }
  return history::BisectCandidates::Commits(parents);
}

v1::BisectAnswer ToProto(history::BisectStep::Answer answer) {
  switch (answer) {
    case history::BisectStep::Answer::kGood:
      return v1::BISECT_ANSWER_GOOD;
    case history::BisectStep::Answer::kBad:
      return v1::BISECT_ANSWER_BAD;
    case history::BisectStep::Answer::kSkip:
      return v1::BISECT_ANSWER_SKIP;
    case history::BisectStep::Answer::kIdentical:
      return v1::BISECT_ANSWER_IDENTICAL;
    case history::BisectStep::Answer::kOpen:
      break;
  }
  return v1::BISECT_ANSWER_UNSPECIFIED;
}

v1::BisectStep ToProto(const history::BisectProblem& problem, const history::BisectStep& step,
                       const std::vector<store::BisectTrial>& trials) {
  v1::BisectStep out;
  out.set_step(step.step);
  out.set_kind(Word(step.kind));
  out.set_candidate(step.candidate);
  out.set_kernel(problem.names[step.candidate]);
  out.set_base(problem.names[step.base]);
  out.set_answer(ToProto(step.answer));
  out.set_likelihood(std::exp(step.log_odds));
  out.set_boots(step.boots);
  out.set_confidence(step.confidence);
  out.set_text(step.text);
  out.mutable_differences()->Assign(step.differences.begin(), step.differences.end());
  for (const store::BisectTrial& trial : trials) {
    if (trial.step == step.step && trial.job != 0) out.add_jobs(trial.job);
  }
  return out;
}

}  // namespace

absl::StatusOr<history::BisectProblem> ProblemOf(const v1::StartBisectRequest& request) {
  ASSIGN_OR_RETURN(history::BisectCandidates candidates, CandidatesOf(request));
  const auto metric = statistics::FindMetric(request.metric());
  if (!metric || metric->role == statistics::Role::kInfo) {
    return absl::InvalidArgumentError(
        absl::StrCat("metric ", Quoted(request.metric()),
                     ": want one whose better side is known, such as latt.wakeup.avg"));
  }
  history::BisectProblem problem{.candidates = std::move(candidates)};
  for (int i = 0; i < request.candidates_size(); ++i) {
    problem.names.push_back(BisectKernelName(request, static_cast<uint32_t>(i)));
  }
  problem.ratio = metric->scale == statistics::Scale::kRatio;
  problem.unit = metric->unit;
  problem.min_change = problem.ratio ? std::log1p(request.min_change()) : request.min_change();
  problem.max_boots = request.max_boots();
  return problem;
}

std::string BisectKernelName(const v1::StartBisectRequest& request, uint32_t candidate) {
  const std::string& name = request.candidates(static_cast<int>(candidate));
  if (!request.has_git()) return name;
  return absl::StrCat(request.git().like().substr(0, kLikeInName), "-g",
                      name.substr(0, kDigitsInName));
}

v1::Kernel CommitKernel(const v1::StartBisectRequest& request, uint32_t candidate) {
  const std::string& commit = request.candidates(static_cast<int>(candidate));
  v1::Kernel kernel = request.git().like_kernel();
  kernel.set_name(BisectKernelName(request, candidate));
  kernel.set_description(absl::StrCat("commit ", commit.substr(0, kDigitsInName),
                                      ", configured as ", request.git().like()));
  kernel.mutable_git()->set_location(request.git().location());
  kernel.mutable_git()->set_commit(commit);
  kernel.clear_patches();
  kernel.clear_note();
  return kernel;
}

v1::JobSpec BisectJob(const v1::StartBisectRequest& request, int64_t bisect,
                      const store::BisectTrial& trial) {
  v1::JobSpec spec = request.job();
  spec.add_variants()->set_kernel(BisectKernelName(request, trial.base));
  spec.add_variants()->set_kernel(BisectKernelName(request, trial.candidate));
  spec.set_stopping(v1::STOPPING_RULE_FIXED);
  spec.set_blocks(trial.blocks);
  spec.add_primary_metrics(request.metric());
  spec.set_title(absl::StrCat("bisect ", bisect, ", step ", trial.step));
  return spec;
}

history::BisectTrial ToHistory(const store::BisectTrial& trial) {
  history::BisectTrial out;
  out.step = trial.step;
  for (const KindWord& kind : kKinds) {
    if (trial.kind == kind.word) out.kind = kind.kind;
  }
  for (const EndingWord& ending : kEndings) {
    if (trial.ending == ending.word) out.ending = ending.ending;
  }
  out.candidate = trial.candidate;
  out.base = trial.base;
  out.blocks = trial.blocks;
  out.differences = trial.differences;
  out.boots = trial.boots;
  out.same_as = trial.same_as;
  out.why = trial.why;
  return out;
}

store::BisectTrial ToStore(const history::BisectTrial& trial) {
  store::BisectTrial out;
  out.step = trial.step;
  out.kind = Word(trial.kind);
  out.ending = Word(trial.ending);
  out.candidate = trial.candidate;
  out.base = trial.base;
  out.blocks = trial.blocks;
  return out;
}

v1::BisectView BisectViewOf(const history::BisectProblem& problem, const history::BisectNext& next,
                            const std::vector<store::BisectTrial>& trials) {
  v1::BisectView view;
  for (const history::BisectStep& step : next.steps) {
    *view.add_steps() = ToProto(problem, step, trials);
  }
  if (next.kind == history::BisectNext::Kind::kFound) view.set_culprit(problem.names[next.culprit]);
  view.set_leader(problem.names[next.leader]);
  view.set_confidence(next.confidence);
  view.set_boots(next.boots);
  view.set_text(next.text);
  view.set_left_low(static_cast<uint32_t>(next.suspects.low));
  view.set_left_high(static_cast<uint32_t>(next.suspects.high));
  view.mutable_probabilities()->Assign(next.probabilities.begin(), next.probabilities.end());
  if (next.change) view.set_change(next.change->effect);
  return view;
}

}  // namespace shakedown::service
