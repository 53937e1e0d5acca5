#include "controller/service/bisect_keeper.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/history/bisect.h"
#include "controller/service/bisect_problem.h"
#include "controller/service/bisect_result.h"
#include "controller/service/no_throw.h"
#include "controller/service/report_data.h"
#include "controller/service/store_call.h"
#include "db/store/bisects.h"
#include "db/store/jobs.h"
#include "db/store/kernels.h"
#include "db/store/reports.h"
#include "kernels/recipe/keys.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

using Next = history::BisectNext::Kind;

// What two kernels of one build may still differ in.
std::string Identity(const std::string& build_key, const v1::Kernel& kernel) {
  std::string identity = build_key;
  for (const std::string& parameter : kernel.boot_parameters()) {
    absl::StrAppend(&identity, "\n", parameter);
  }
  for (const v1::Tunable& tunable : kernel.tunables()) {
    absl::StrAppend(&identity, "\n", tunable.name(), "=", tunable.value());
  }
  return identity;
}

bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
         absl::IsNotFound(status) || absl::IsAlreadyExists(status);
}

const char* StateWord(Next kind) {
  if (kind == Next::kFound) return "found";
  return kind == Next::kRefused ? "refused" : "cannot_say";
}

// One bisect's turn.
class Turn {
 public:
  Turn(store::Database& database, FarmApi& farm, const kernels::FragmentReader& fragments,
       store::Bisect bisect, history::BisectProblem problem)
      : database_(database),
        farm_(farm),
        fragments_(fragments),
        bisect_(std::move(bisect)),
        problem_(std::move(problem)) {}

  // Whether something was done.
  absl::StatusOr<bool> Take() {
    const bool trial_runs = !bisect_.trials.empty() && bisect_.trials.back().ending == "running";
    if (bisect_.state != "running") return trial_runs ? Abandon() : false;
    if (!trial_runs) return Decide();
    return bisect_.trials.back().job == 0 ? SubmitTrial() : FollowTrial();
  }

 private:
  store::BisectTrial& trial() { return bisect_.trials.back(); }

  absl::StatusOr<bool> EndTrial() {
    return FromStore([&] { return store::EndBisectTrial(database_, bisect_.bisect, trial()); });
  }

  absl::Status CancelJob() {
    if (trial().job == 0) return absl::OkStatus();
    return FromStore([&] { return store::CancelJob(database_, trial().job); });
  }

  // The bisect has ended before its last trial.
  absl::StatusOr<bool> Abandon() {
    RETURN_IF_ERROR(CancelJob());
    trial().ending = "farm_failed";
    trial().why = "the bisect had ended";
    return EndTrial();
  }

  absl::StatusOr<bool> EndAs(const std::string& state, const v1::BisectView& view) {
    return FromStore(
        [&] { return store::EndBisect(database_, bisect_.bisect, bisect_.version, state, view); });
  }

  absl::Status AddCommits() {
    if (!bisect_.request.has_git()) return absl::OkStatus();
    for (const uint32_t candidate : {trial().base, trial().candidate}) {
      RETURN_IF_ERROR(FromStore([&] {
        return store::AddKernel(database_, CommitKernel(bisect_.request, candidate),
                                bisect_.submitter);
      }));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> SubmitTrial() {
    const absl::StatusOr<int64_t> job = Submit();
    if (!job.ok() && IsRefusal(job.status())) return Refused(job.status());
    RETURN_IF_ERROR(job.status());
    RETURN_IF_ERROR(FromStore(
        [&] { return store::SetBisectTrialJob(database_, bisect_.bisect, trial().trial, *job); }));
    return true;
  }

  absl::StatusOr<int64_t> Submit() {
    RETURN_IF_ERROR(AddCommits());
    v1::SubmitJobRequest request;
    request.set_request_id(trial().request_id);
    *request.mutable_spec() = BisectJob(bisect_.request, bisect_.bisect, trial());
    ASSIGN_OR_RETURN(
        const v1::SubmitJobResponse response,
        farm_.SubmitJob({.role = store::Role::kUser, .name = bisect_.submitter}, request));
    return response.job();
  }

  // The kernel's entry is there and can be built.
  absl::Status Usable(uint32_t candidate) {
    ASSIGN_OR_RETURN(const v1::Kernel kernel, FromStore([&] {
                       return store::GetKernel(database_, problem_.names[candidate]);
                     }));
    return kernels::Resolve(kernel, fragments_).status();
  }

  // What no later try changes: a kernel is gone from the catalog, or what the job wants is.
  absl::StatusOr<bool> Refused(const absl::Status& why) {
    trial().why = std::string(why.message());
    if (!Usable(trial().base).ok()) {
      trial().ending = "base_failed";
    } else if (!Usable(trial().candidate).ok()) {
      trial().ending = "candidate_failed";
    } else {
      v1::BisectView view = BisectViewOf(problem_, NextOf({}), bisect_.trials);
      view.set_text(absl::StrCat("step ", trial().step, " can not be submitted: ", trial().why));
      return EndAs("cannot_say", view);
    }
    return EndTrial();
  }

  absl::StatusOr<bool> FollowTrial() {
    ASSIGN_OR_RETURN(const v1::JobView job,
                     FromStore([&] { return store::GetJob(database_, trial().job); }));
    if (job.state() == v1::JOB_STATE_ACTIVE) return DropIfIdentical(job);
    if (job.state() == v1::JOB_STATE_CANCELLED) {
      RETURN_IF_ERROR(FromStore([&] {
        return store::CancelBisect(database_, bisect_.bisect,
                                   absl::StrCat("its job ", trial().job, " was cancelled"));
      }));
      return true;
    }
    ASSIGN_OR_RETURN(const store::ReportData data,
                     FromStore([&] { return store::GetReportData(database_, trial().job); }));
    ReadBisectResult(ToReportData(data), bisect_.request.metric(), &trial());
    return EndTrial();
  }

  // Worth a look once its build is there and before anything was measured.
  absl::StatusOr<bool> DropIfIdentical(const v1::JobView& job) {
    const std::string& kernel = problem_.names[trial().candidate];
    const bool built =
        std::any_of(job.builds().begin(), job.builds().end(), [&](const v1::BuildView& build) {
          return build.kernel() == kernel && !build.build_key().empty();
        });
    const bool begun =
        std::any_of(job.boots().begin(), job.boots().end(),
                    [](const v1::BootView& boot) { return boot.state() == v1::WORK_STATE_ENDED; });
    if (!built || begun) return false;
    ASSIGN_OR_RETURN(const history::BisectNext next, NextStep());
    if (next.kind != Next::kDrop) return false;
    RETURN_IF_ERROR(CancelJob());
    trial().ending = "identical";
    trial().same_as = next.trial.same_as;
    return EndTrial();
  }

  absl::StatusOr<bool> Decide() {
    ASSIGN_OR_RETURN(const history::BisectNext next, NextStep());
    const v1::BisectView view = BisectViewOf(problem_, next, bisect_.trials);
    if (next.kind != Next::kMeasure) return EndAs(StateWord(next.kind), view);
    return FromStore([&] {
      return store::BeginBisectTrial(database_, bisect_.bisect, bisect_.version,
                                     ToStore(next.trial), view);
    });
  }

  absl::StatusOr<history::BisectNext> NextStep() {
    ASSIGN_OR_RETURN(std::vector<std::string> identity, Identities());
    return NextOf(std::move(identity));
  }

  history::BisectNext NextOf(std::vector<std::string> identity) {
    history::BisectFacts facts;
    facts.identity = std::move(identity);
    facts.identity.resize(problem_.names.size());
    for (const std::string& known : facts.identity) facts.built.push_back(!known.empty());
    for (const store::BisectTrial& trial : bisect_.trials) {
      facts.trials.push_back(ToHistory(trial));
    }
    return history::NextInBisect(problem_, facts);
  }

  // By candidate; empty: no build of it is there.
  absl::StatusOr<std::vector<std::string>> Identities() {
    ASSIGN_OR_RETURN(const auto list, FromStore([&] { return store::ListKernels(database_); }));
    std::map<std::string, const v1::Kernel*> catalog;
    for (const v1::Kernel& kernel : list) catalog[kernel.name()] = &kernel;
    std::vector<std::string> request_keys(problem_.names.size());
    for (size_t i = 0; i < problem_.names.size(); ++i) {
      const auto found = catalog.find(problem_.names[i]);
      if (found == catalog.end()) continue;
      const auto resolved = kernels::Resolve(*found->second, fragments_);
      if (resolved.ok()) request_keys[i] = kernels::RequestKey(*resolved);
    }
    ASSIGN_OR_RETURN(const auto build_keys,
                     FromStore([&] { return store::BuildKeysOf(database_, request_keys); }));
    std::vector<std::string> identities(problem_.names.size());
    for (size_t i = 0; i < identities.size(); ++i) {
      const auto built = build_keys.find(request_keys[i]);
      if (built == build_keys.end()) continue;
      identities[i] = Identity(built->second, *catalog[problem_.names[i]]);
    }
    return identities;
  }

  store::Database& database_;
  FarmApi& farm_;
  const kernels::FragmentReader& fragments_;
  store::Bisect bisect_;
  const history::BisectProblem problem_;
};

absl::StatusOr<bool> KeepBisect(store::Database& database, FarmApi& farm,
                                const kernels::FragmentReader& fragments, int64_t number) {
  ASSIGN_OR_RETURN(store::Bisect bisect,
                   FromStore([&] { return store::GetBisect(database, number); }));
  ASSIGN_OR_RETURN(history::BisectProblem problem, ProblemOf(bisect.request));
  return Turn(database, farm, fragments, std::move(bisect), std::move(problem)).Take();
}

}  // namespace

absl::StatusOr<int> KeepBisects(store::Database& database, FarmApi& farm,
                                const kernels::FragmentReader& fragments) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> due,
                   FromStore([&] { return store::DueBisects(database); }));
  int steps = 0;
  absl::Status first;
  for (const int64_t bisect : due) {
    const absl::StatusOr<bool> taken =
        NoThrow("bisect", [&] { return KeepBisect(database, farm, fragments, bisect); });
    if (taken.ok()) {
      steps += *taken ? 1 : 0;
    } else if (first.ok()) {
      first = Annotate(taken.status(), absl::StrCat("bisect ", bisect));
    }
  }
  if (!first.ok()) return first;
  return steps;
}

}  // namespace shakedown::service
