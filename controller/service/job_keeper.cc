#include "controller/service/job_keeper.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/job_looks.h"
#include "controller/plan/next_step.h"
#include "controller/service/no_throw.h"
#include "controller/service/report_data.h"
#include "controller/service/store_call.h"
#include "db/store/jobs.h"
#include "db/store/looks.h"
#include "db/store/reports.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

using plan::LookSays;
using plan::Step;

LookSays Says(compare::LookAnswer::Kind kind) {
  switch (kind) {
    case compare::LookAnswer::Kind::kDecided:
      return LookSays::kDecided;
    case compare::LookAnswer::Kind::kNoPrimaries:
      return LookSays::kNoPrimaries;
    case compare::LookAnswer::Kind::kNoComparison:
      return LookSays::kNoComparison;
    case compare::LookAnswer::Kind::kOpen:
      break;
  }
  return LookSays::kOpen;
}

store::Decision DecisionOf(int64_t job, const store::JobClock& clock, Step step) {
  store::Decision decision;
  decision.job = job;
  decision.version = clock.version;
  decision.add = std::move(step.blocks);
  decision.cancel_unbegun = step.kind == Step::Kind::kCancel;
  decision.finish = step.kind == Step::Kind::kFinish;
  decision.reason = std::move(step.reason);
  return decision;
}

// One step of one job. The clock is read first: what changes after that makes Decide() refuse.
absl::StatusOr<bool> KeepJob(store::Database& database, int64_t job) {
  ASSIGN_OR_RETURN(const store::JobClock clock, store::GetJobClock(database, job));
  ASSIGN_OR_RETURN(const v1::JobView view, store::GetJob(database, job));
  if (view.state() != v1::JOB_STATE_ACTIVE) return false;
  plan::JobNow now = plan::NowOf(view);
  now.spent_s = clock.spent_s;
  now.block_s = clock.block_s;
  Step step = plan::NextStep(now, LookSays::kNotAsked);
  if (step.kind == Step::Kind::kWait) return false;
  if (step.kind != Step::Kind::kLook) {
    return store::Decide(database, DecisionOf(job, clock, std::move(step)));
  }
  ASSIGN_OR_RETURN(const store::ReportData data, store::GetReportData(database, job));
  const compare::LookAnswer answer = compare::Look(ToReportData(data), step.after_blocks);
  step = plan::NextStep(now, Says(answer.kind));
  v1::LookView look;
  look.set_look(static_cast<uint32_t>(view.looks_size()) + 1);
  look.set_after_blocks(step.after_blocks);
  look.set_decision(step.decision);
  look.set_text(answer.text);
  store::Decision decision = DecisionOf(job, clock, std::move(step));
  decision.look = std::move(look);
  return store::Decide(database, decision);
}

}  // namespace

absl::StatusOr<int> KeepJobs(store::Database& database) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> due,
                   FromStore([&] { return store::DueJobs(database); }));
  int steps = 0;
  absl::Status first;
  for (const int64_t job : due) {
    const absl::StatusOr<bool> taken =
        FromStore([&] { return NoThrow("look", [&] { return KeepJob(database, job); }); });
    if (taken.ok()) {
      steps += *taken ? 1 : 0;
    } else if (first.ok()) {
      first = Annotate(taken.status(), absl::StrCat("job ", job));
    }
  }
  if (!first.ok()) return first;
  return steps;
}

}  // namespace shakedown::service
