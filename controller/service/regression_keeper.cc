#include "controller/service/regression_keeper.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/make_report.h"
#include "controller/history/watch_series.h"
#include "controller/service/confirm_job.h"
#include "controller/service/history_numbers.h"
#include "controller/service/no_throw.h"
#include "controller/service/notifier.h"
#include "controller/service/notify_events.h"
#include "controller/service/store_call.h"
#include "controller/service/store_controls.h"
#include "controller/service/summarise_boots.h"
#include "db/store/agents.h"
#include "db/store/jobs.h"
#include "db/store/regressions.h"
#include "db/store/series.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

// Of one series, by what its numbers and the known regressions say now.
absl::StatusOr<std::vector<store::NewSuspicion>> Suspect(store::Database& database,
                                                         const store::SeriesRow& row) {
  std::vector<store::NewSuspicion> all;
  if (!statistics::FindMetric(row.metric)) return all;
  // Before the numbers: one that is made meanwhile makes AddSuspicions refuse.
  ASSIGN_OR_RETURN(const std::vector<store::KnownRegression> known,
                   FromStore([&] { return store::KnownRegressions(database, row.id); }));
  ASSIGN_OR_RETURN(const store::SeriesContent content,
                   FromStore([&] { return store::ReadSeries(database, row.id); }));
  const history::Numbers numbers = ToNumbers(content);
  bool is_known = false;
  const statistics::Metric metric = MetricOf(row.metric, row.unit, numbers, &is_known);
  const std::vector<history::Point> control = history::ControlSeries(numbers);
  std::vector<history::KnownStep> steps = ToSteps(known);
  for (const history::Series& series : history::BuildSeries(numbers, metric, {})) {
    const std::vector<history::Change> changes = history::FindChanges(series, control, metric);
    for (const history::Suspicion& s : history::FindSuspicions(series, changes, metric)) {
      if (history::FindKnown(numbers, series, s, steps) != nullptr) continue;
      const int64_t good = numbers.kernels[series.points[s.good].kernel].id;
      const int64_t bad = numbers.kernels[series.points[s.bad].kernel].id;
      steps.push_back({0, good, bad, s.improvement});  // Not twice in one look.
      all.push_back({.series = row.id,
                     .known = known.size(),
                     .good = good,
                     .bad = bad,
                     .improvement = s.improvement,
                     .magnitude = s.magnitude,
                     .p = s.p,
                     .because = s.because});
    }
  }
  return all;
}

absl::StatusOr<bool> WatchJob(store::Database& database, int64_t job) {
  ASSIGN_OR_RETURN(const std::vector<store::SeriesRow> rows,
                   FromStore([&] { return store::SeriesOfJob(database, job); }));
  std::vector<store::NewSuspicion> suspicions;
  for (const store::SeriesRow& row : rows) {
    absl::StatusOr<std::vector<store::NewSuspicion>> found = Suspect(database, row);
    // One too long to be read at once must not hold up the others for ever.
    if (absl::IsResourceExhausted(found.status())) continue;
    if (!found.ok()) return found.status();
    suspicions.insert(suspicions.end(), found->begin(), found->end());
  }
  return store::AddSuspicions(database, job, suspicions);
}

// Submits under the request that was reserved: after a crash in between, again.
absl::StatusOr<bool> Submit(store::Database& database, const store::OpenRegression& regression,
                            const std::string& request, bool quick) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> there,
                   FromStore([&] { return store::FindJobByRequest(database, request); }));
  int64_t job = there.value_or(0);
  if (!there) {
    ASSIGN_OR_RETURN(const store::ConfirmSides sides,
                     FromStore([&] { return store::GetConfirmSides(database, regression.id); }));
    ASSIGN_OR_RETURN(const std::vector<v1::MachineView> machines,
                     FromStore([&] { return store::ListMachines(database); }));
    const absl::StatusOr<store::Submission> submission = ConfirmJob(sides, machines,
                                                                    {.regression = regression.id,
                                                                     .metric = regression.metric,
                                                                     .machine = regression.machine,
                                                                     .quick = quick,
                                                                     .request_id = request});
    if (!submission.ok()) {
      RETURN_IF_ERROR(FromStore([&] {
        return store::BlockConfirm(database, regression.id, submission.status().message());
      }));
      return true;
    }
    ASSIGN_OR_RETURN(job, FromStore([&] { return store::SubmitJob(database, *submission); }));
  }
  RETURN_IF_ERROR(
      FromStore([&] { return store::SetConfirmJob(database, regression.id, request, job); }));
  return true;
}

// Before it is decided: a crash in between announces it again, which is the same event.
absl::Status AnnounceConfirmed(store::Database& database, const store::OpenRegression& regression,
                               const store::ConfirmVerdict& verdict) {
  ASSIGN_OR_RETURN(const v1::RegressionView view,
                   FromStore([&] { return store::GetRegression(database, regression.id); }));
  return Announce(database, RegressionConfirmedEvent({.regression = regression.id,
                                                      .metric = regression.metric,
                                                      .machine = regression.machine,
                                                      .good = view.good(),
                                                      .bad = view.bad(),
                                                      .job = verdict.job,
                                                      .text = verdict.text}));
}

absl::StatusOr<bool> Decide(store::Database& database, const store::OpenRegression& regression) {
  ASSIGN_OR_RETURN(const v1::ReportData data, ReadReportData(database, regression.confirm_job));
  const store::ConfirmVerdict verdict = VerdictOf(compare::MakeReport(data), regression);
  if (verdict.state == v1::REGRESSION_STATE_CONFIRMED && !regression.improvement) {
    RETURN_IF_ERROR(AnnounceConfirmed(database, regression, verdict));
  }
  return FromStore([&] { return store::DecideConfirm(database, verdict); });
}

absl::StatusOr<bool> KeepRegression(store::Database& database,
                                    const store::OpenRegression& regression,
                                    const RegressionOptions& options) {
  if (regression.confirm_job != 0) {
    if (!regression.job_ended) return false;
    return Decide(database, regression);
  }
  const bool quick = options.confirm_boots < kConfirmBoots;
  if (!regression.confirm_request.empty()) {
    return Submit(database, regression, regression.confirm_request, quick);
  }
  const int boots = quick ? kQuickConfirmBoots : kConfirmBoots;
  if (options.confirm_boots < boots) return false;
  ASSIGN_OR_RETURN(const std::optional<std::string> request, FromStore([&] {
                     return store::ReserveConfirm(database, regression.id, boots,
                                                  options.confirm_boots);
                   }));
  if (!request) return false;
  return Submit(database, regression, *request, quick);
}

bool IsPrimary(const store::OpenRegression& regression) {
  const auto metric = statistics::FindMetric(regression.metric);
  return metric && metric->role == statistics::Role::kPrimary;
}

}  // namespace

absl::StatusOr<int> KeepRegressions(store::Database& database, const RegressionOptions& options) {
  absl::Status first;
  int steps = 0;
  const auto count = [&](const absl::StatusOr<bool>& taken, const std::string& what) {
    if (taken.ok()) {
      steps += *taken ? 1 : 0;
    } else if (first.ok() && !absl::IsAborted(taken.status())) {  // A lost race: next time.
      first = Annotate(taken.status(), what);
    }
  };
  const absl::StatusOr<int> summaries = SummariseBoots(database);
  if (summaries.ok()) {
    steps += *summaries;
  } else {
    first = summaries.status();
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> jobs,
                   FromStore([&] { return store::JobsToWatch(database); }));
  for (const int64_t job : jobs) {
    count(NoThrow("history", [&] { return WatchJob(database, job); }),
          absl::StrCat("history of job ", job));
  }
  ASSIGN_OR_RETURN(std::vector<store::OpenRegression> open,
                   FromStore([&] { return store::OpenRegressions(database); }));
  std::stable_partition(open.begin(), open.end(), IsPrimary);  // The budget is theirs first.
  for (const store::OpenRegression& regression : open) {
    count(NoThrow("regression", [&] { return KeepRegression(database, regression, options); }),
          absl::StrCat("regression ", regression.id));
  }
  if (!first.ok()) return first;
  return steps;
}

}  // namespace shakedown::service
