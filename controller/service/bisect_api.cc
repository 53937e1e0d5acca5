#include "controller/service/bisect_api.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "controller/compare/statistics/metric.h"
#include "controller/history/bisect_simulation.h"
#include "controller/history/kernels_between.h"
#include "controller/service/bisect_problem.h"
#include "controller/service/store_call.h"
#include "db/store/bisects.h"
#include "db/store/kernels.h"
#include "kernels/recipe/check_kernel.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr uint32_t kMostBoots = 100000;
constexpr uint32_t kSimulatedSeeds = 60;
// Of a block's difference on a ratio scale, where there is no past: what builds vary by on a quiet
// VM, and some more.
constexpr double kGuessedSd = 0.03;

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::Status CheckNumber(int64_t bisect) {
  if (bisect >= 1) return absl::OkStatus();
  return Wrong(absl::StrCat("bisect ", bisect, ": want a number from 1"));
}

absl::Status CheckJobPart(const v1::JobSpec& job) {
  if (!job.variants().empty()) return Wrong("job.variants: the bisect's own, want none");
  if (job.blocks() != 0 || job.stopping() != v1::STOPPING_RULE_UNSPECIFIED) {
    return Wrong("job.blocks, job.stopping: the bisect's own, want none");
  }
  if (!job.primary_metrics().empty()) {
    return Wrong("job.primary_metrics: the bisect's metric is, want none");
  }
  if (job.control()) return Wrong("job.control: a bisect has its ends, want none");
  if (job.budget_s() != 0) return Wrong("job.budget_s: see max_boots, want none");
  if (job.order_seed() != 0) return Wrong("job.order_seed: drawn for each step, want none");
  return absl::OkStatus();
}

absl::Status SetThreshold(v1::StartBisectRequest* request) {
  const auto metric = statistics::FindMetric(request->metric());
  if (!metric || metric->role == statistics::Role::kInfo) {
    return Wrong(absl::StrCat("metric ", Quoted(request->metric()),
                              ": want one whose better side is known, such as latt.wakeup.avg"));
  }
  const bool ratio = metric->scale == statistics::Scale::kRatio;
  if (request->min_change() == 0) {
    request->set_min_change(ratio ? metric->delta_rel : metric->delta_abs);
  }
  const double change = request->min_change();
  if (!(change > 0) || !std::isfinite(change) || (ratio && change >= 1)) {
    return Wrong(absl::StrCat("min_change ", change, ": want ",
                              ratio ? "a part above 0 and below 1, e.g. 0.05 for 5 %"
                                    : absl::StrCat("a number of ", metric->unit, " above 0")));
  }
  return absl::OkStatus();
}

absl::Status CheckEnds(const v1::StartBisectRequest& request) {
  const auto& list = request.candidates();
  if (list.empty() || list[0] != request.good() || list[list.size() - 1] != request.bad()) {
    return Wrong(absl::StrCat("candidates: want the first to be good, ", Quoted(request.good()),
                              ", and the last to be bad, ", Quoted(request.bad())));
  }
  std::set<absl::string_view> seen;
  for (const std::string& candidate : list) {
    if (seen.insert(candidate).second) continue;
    return Wrong(absl::StrCat("candidate ", Quoted(candidate), ": is there twice"));
  }
  return absl::OkStatus();
}

bool IsCommit(absl::string_view text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f');
         });
}

struct Noise {
  double sd = 0;
  std::string basis;
};
Noise NoiseOf(const v1::PlanJobResponse& planned, const history::BisectProblem& problem,
              const std::string& metric) {
  for (const v1::DetectEstimate& estimate : planned.detect()) {
    if (estimate.metric() == metric && estimate.sd() > 0) return {estimate.sd(), estimate.basis()};
  }
  const double guess = problem.ratio ? kGuessedSd : problem.min_change / 2;
  return {guess, "no history of these loads on these machines: guessed"};
}

}  // namespace

BisectApi::BisectApi(store::Database& database, FarmApi& farm, RegressionReader regressions)
    : database_(database), farm_(farm), regressions_(std::move(regressions)) {}

absl::StatusOr<v1::StartBisectRequest> BisectApi::Complete(v1::StartBisectRequest request) {
  const bool regression_alone = request.regression() != 0 && request.good().empty() &&
                                request.bad().empty() && request.metric().empty();
  if (regression_alone) {
    if (regressions_ == nullptr) {
      return absl::FailedPreconditionError(absl::StrCat(
          "regression ", request.regression(), ": this controller keeps none; want good and bad"));
    }
    ASSIGN_OR_RETURN(v1::StartBisectRequest of, regressions_(request.regression()));
    of.MergeFrom(request);
    request = std::move(of);
  }
  if (request.good() == request.bad()) {
    return Wrong(absl::StrCat("good ", Quoted(request.good()), " and bad: want two kernels"));
  }
  RETURN_IF_ERROR(CheckJobPart(request.job()));
  RETURN_IF_ERROR(SetThreshold(&request));
  if (request.max_boots() == 0) request.set_max_boots(history::kDefaultMaxBoots);
  if (request.max_boots() > kMostBoots) {
    return Wrong(absl::StrCat("max_boots ", request.max_boots(), ": want at most ", kMostBoots));
  }
  RETURN_IF_ERROR(SetCandidates(&request));
  RETURN_IF_ERROR(CheckEnds(request));
  RETURN_IF_ERROR(ProblemOf(request).status());
  return request;
}

absl::Status BisectApi::SetCandidates(v1::StartBisectRequest* request) {
  if (request->has_git()) return CheckCommits(request);
  if (request->candidates().empty()) {
    ASSIGN_OR_RETURN(const auto kernels, FromStore([&] { return store::ListKernels(database_); }));
    std::vector<std::string> names;
    for (const v1::Kernel& kernel : kernels) {
      if (kernel.unbuildable().empty()) names.push_back(kernel.name());
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> between,
                     history::KernelsBetween(names, request->good(), request->bad()));
    request->mutable_candidates()->Assign(between.begin(), between.end());
  }
  return CheckKernels(*request);
}

absl::Status BisectApi::CheckKernels(const v1::StartBisectRequest& request) {
  ASSIGN_OR_RETURN(const auto kernels, FromStore([&] { return store::ListKernels(database_); }));
  std::set<std::string> known;
  for (const v1::Kernel& kernel : kernels) known.insert(kernel.name());
  std::vector<std::string> wanted = {request.good(), request.bad()};
  wanted.insert(wanted.end(), request.candidates().begin(), request.candidates().end());
  for (const std::string& name : wanted) {
    if (known.count(name) > 0) continue;
    // Says which names are near.
    return FromStore([&] { return store::GetKernel(database_, name); }).status();
  }
  return absl::OkStatus();
}

absl::Status BisectApi::CheckCommits(v1::StartBisectRequest* request) {
  if (request->candidates().empty()) return Wrong("candidates: want the commits, parents first");
  for (const std::string& commit : request->candidates()) {
    if (!IsCommit(commit)) {
      return Wrong(absl::StrCat("commit ", Quoted(commit), ": want 40 lower-case hex digits"));
    }
  }
  RETURN_IF_ERROR(CheckName("git.like", request->git().like()));
  ASSIGN_OR_RETURN(*request->mutable_git()->mutable_like_kernel(),
                   FromStore([&] { return store::GetKernel(database_, request->git().like()); }));
  for (const kernels::Finding& finding :
       kernels::CheckKernel(CommitKernel(*request, 0), "kernel of a commit")) {
    if (finding.severity != kernels::Finding::Severity::kError) continue;
    return Wrong(absl::StrCat(finding.where, ": ", finding.what));
  }
  return absl::OkStatus();
}

// The commits are no kernels of the catalog yet: the one they are like stands for both.
absl::StatusOr<v1::PlanJobResponse> BisectApi::PlanEnds(const v1::StartBisectRequest& request) {
  store::BisectTrial ends;
  ends.step = 1;
  ends.blocks = 8;
  ends.candidate = static_cast<uint32_t>(request.candidates_size()) - 1;
  v1::PlanJobRequest plan;
  *plan.mutable_spec() = BisectJob(request, 0, ends);
  plan.set_detect(0.05);
  if (request.has_git()) {
    for (v1::Variant& variant : *plan.mutable_spec()->mutable_variants()) {
      variant.set_kernel(request.git().like());
    }
  }
  return farm_.PlanJob(plan);
}

absl::StatusOr<v1::BisectView> BisectApi::StartBisect(const store::Principal& caller,
                                                      const v1::StartBisectRequest& request) {
  if (!IsUuid(request.request_id())) {
    return Wrong(
        absl::StrCat("request_id ", Quoted(request.request_id()), ": want a UUID in lower case"));
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> known, FromStore([&] {
                     return store::FindBisectByRequest(database_, request.request_id());
                   }));
  if (known) return GetBisect(*known);
  ASSIGN_OR_RETURN(const v1::StartBisectRequest whole, Complete(request));
  RETURN_IF_ERROR(PlanEnds(whole).status());
  ASSIGN_OR_RETURN(const history::BisectProblem problem, ProblemOf(whole));
  history::BisectFacts nothing;
  nothing.identity.resize(problem.names.size());
  nothing.built.resize(problem.names.size());
  const v1::BisectView view = BisectViewOf(problem, history::NextInBisect(problem, nothing), {});
  ASSIGN_OR_RETURN(const int64_t bisect, FromStore([&] {
                     return store::StartBisect(database_, caller.name, whole, view);
                   }));
  return GetBisect(bisect);
}

absl::StatusOr<v1::BisectPlan> BisectApi::PlanBisect(const v1::StartBisectRequest& request) {
  ASSIGN_OR_RETURN(const v1::StartBisectRequest whole, Complete(request));
  ASSIGN_OR_RETURN(const v1::PlanJobResponse ends, PlanEnds(whole));
  ASSIGN_OR_RETURN(const history::BisectProblem problem, ProblemOf(whole));
  const Noise noise = NoiseOf(ends, problem, whole.metric());
  v1::BisectPlan plan;
  *plan.mutable_candidates() = whole.candidates();
  plan.set_sd(noise.sd);
  plan.set_basis(noise.basis);
  for (const double times : {1.5, 2.0, 4.0}) {
    const double effect = times * problem.min_change;
    // A second for the longest of searches.
    const uint32_t seeds = problem.names.size() > 2000 ? kSimulatedSeeds / 6 : kSimulatedSeeds;
    const history::BisectExpectation expected =
        history::ExpectBisect(problem, {.effect = effect, .sd = noise.sd}, 1, seeds);
    v1::BisectPlan::Expected* out = plan.add_expected();
    out->set_change(problem.ratio ? std::expm1(effect) : effect);
    out->set_boots(expected.mean_boots);
    out->set_boots_p95(expected.p95_boots);
    out->set_builds(expected.mean_builds);
    out->set_found(expected.found);
  }
  return plan;
}

absl::StatusOr<v1::BisectView> BisectApi::GetBisect(int64_t bisect) {
  RETURN_IF_ERROR(CheckNumber(bisect));
  return FromStore([&] { return store::GetBisectView(database_, bisect); });
}

absl::StatusOr<v1::ListBisectsResponse> BisectApi::ListBisects(
    const v1::ListBisectsRequest& request) {
  if (request.limit() > 1000) {
    return Wrong(absl::StrCat("limit ", request.limit(), ": want at most 1000"));
  }
  const uint32_t limit = request.limit() == 0 ? 50 : request.limit();
  ASSIGN_OR_RETURN(const auto views, FromStore([&] {
                     return store::ListBisects(database_, limit, request.before());
                   }));
  v1::ListBisectsResponse response;
  for (const v1::BisectView& view : views) *response.add_bisects() = view;
  return response;
}

absl::StatusOr<v1::BisectView> BisectApi::CancelBisect(const store::Principal& caller,
                                                       int64_t bisect) {
  RETURN_IF_ERROR(CheckNumber(bisect));
  RETURN_IF_ERROR(FromStore([&] {
    return store::CancelBisect(database_, bisect, absl::StrCat("cancelled by ", caller.name));
  }));
  return GetBisect(bisect);
}

}  // namespace shakedown::service
