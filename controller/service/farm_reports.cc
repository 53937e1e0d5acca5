// The calls of FarmApi that look at a job as a whole: its plan before, its report after.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/make_report.h"
#include "controller/compare/render_report.h"
#include "controller/plan/estimate.h"
#include "controller/service/detection.h"
#include "controller/service/farm_api.h"
#include "controller/service/no_throw.h"
#include "controller/service/report_data.h"
#include "controller/service/store_call.h"
#include "controller/service/store_controls.h"
#include "db/store/builds.h"
#include "db/store/reports.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::StatusOr<plan::History> PastOf(store::Database& database, const v1::JobSpec& spec) {
  ASSIGN_OR_RETURN(const store::PastDuration boots,
                   FromStore([&] { return store::PastBoots(database, spec.loads()); }));
  ASSIGN_OR_RETURN(const store::PastDuration builds,
                   FromStore([&] { return store::PastBuilds(database); }));
  plan::History history;
  if (boots.n > 0) history.boot_seconds = boots.median_s;
  if (builds.n > 0) history.build_seconds = builds.median_s;
  history.boots = boots.n;
  history.builds = builds.n;
  return history;
}

}  // namespace

absl::Status FarmApi::SetBlockTime(store::Submission& submission) {
  if (submission.spec.budget_s() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const plan::History history, PastOf(database_, submission.spec));
  submission.block_s = plan::BlockSeconds(submission.spec, history);
  return absl::OkStatus();
}

absl::StatusOr<v1::PlanJobResponse> FarmApi::PlanJob(const v1::PlanJobRequest& request) {
  ASSIGN_OR_RETURN(const Prepared prepared, Prepare(request.spec()));
  const store::Submission& job = prepared.job;
  std::vector<std::string> keys;
  for (const store::VariantKernel& variant : job.variants) keys.push_back(variant.request_key);
  ASSIGN_OR_RETURN(const std::set<std::string> at_hand,
                   FromStore([&] { return store::BuildsAtHand(database_, keys); }));
  v1::PlanJobResponse response;
  *response.mutable_plan() = job.plan;
  response.mutable_remarks()->Assign(prepared.remarks.begin(), prepared.remarks.end());
  std::set<std::string> seen;
  for (const store::VariantKernel& variant : job.variants) {
    if (!seen.insert(variant.request_key).second) continue;
    const std::string& name = variant.kernel.kernel().name();
    at_hand.count(variant.request_key) > 0 ? response.add_have(name) : response.add_builds(name);
  }
  response.set_boots(static_cast<uint32_t>(job.plan.blocks_size() * job.spec.variants_size()));
  ASSIGN_OR_RETURN(const plan::History history, PastOf(database_, job.spec));
  const plan::Estimate estimate = plan::EstimateWork(
      job.spec, static_cast<uint32_t>(response.builds_size()), response.boots(), history);
  response.set_estimate_s(estimate.seconds);
  response.set_estimate_basis(estimate.basis);
  if (request.detect() != 0) {
    const double boot_s = static_cast<double>(plan::EstimateWork(job.spec, 0, 1, history).seconds);
    RETURN_IF_ERROR(NoThrow("detect", [&] {
      return AddDetection(database_, job.spec, request.detect(), boot_s, &response);
    }));
  }
  return response;
}

absl::StatusOr<v1::GetReportResponse> FarmApi::GetReport(const v1::GetReportRequest& request) {
  if (request.job() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("job ", request.job(), ": want a number from 1"));
  }
  ASSIGN_OR_RETURN(const v1::ReportData data, ReadReportData(database_, request.job()));
  return NoThrow("report", [&]() -> absl::StatusOr<v1::GetReportResponse> {
    const v1::Report report = compare::MakeReport(data);
    v1::GetReportResponse response;
    ASSIGN_OR_RETURN(*response.mutable_text(), compare::RenderReport(report, request));
    response.set_conclusion(report.conclusion());
    return response;
  });
}

}  // namespace shakedown::service
