#include "controller/service/detail_api.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/explain.h"
#include "controller/compare/make_report.h"
#include "controller/plan/text.h"
#include "controller/scheduler/explain_queue.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_call.h"
#include "controller/service/store_controls.h"
#include "db/store/agents.h"
#include "db/store/boot_details.h"
#include "db/store/jobs.h"
#include "db/store/queue.h"
#include "proto/wire/status.h"

namespace shakedown::service {

absl::StatusOr<v1::GetBootResponse> DetailApi::GetBoot(const v1::GetBootRequest& request) {
  ASSIGN_OR_RETURN(const BootName name, ParseBootName(request.boot()));
  ASSIGN_OR_RETURN(store::BootDetails details,
                   FromStore([&] { return store::GetBootDetails(database_, name); }));
  ASSIGN_OR_RETURN(const v1::JobView job,
                   FromStore([&] { return store::GetJob(database_, name.job); }));
  v1::GetBootResponse response;
  *response.mutable_view() = std::move(details.view);
  *response.mutable_result() = std::move(details.result);
  if (details.live) *response.mutable_live() = *std::move(details.live);
  for (std::string& attempt : details.attempts) response.add_attempts(std::move(attempt));
  for (const v1::Load& load : job.spec().loads()) response.add_loads(plan::PrintLoad(load));
  if (static_cast<int>(name.variant) < job.spec().variants_size()) {
    const v1::Variant& variant = job.spec().variants(static_cast<int>(name.variant));
    response.set_variant(plan::PrintVariant(variant));
    for (const v1::BuildView& build : job.builds()) {
      if (build.kernel() == variant.kernel()) *response.mutable_build() = build;
    }
  }
  return response;
}

absl::StatusOr<v1::ExplainResponse> DetailApi::Explain(const v1::ExplainRequest& request) {
  if (request.job() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("job ", request.job(), ": want a number from 1"));
  }
  ASSIGN_OR_RETURN(const v1::ReportData data, ReadReportData(database_, request.job()));
  return NoThrow("explain", [&]() -> absl::StatusOr<v1::ExplainResponse> {
    v1::ExplainResponse response;
    ASSIGN_OR_RETURN(
        *response.mutable_text(),
        compare::Explain(data, compare::MakeReport(data), request.metric(), request.variant()));
    return response;
  });
}

absl::StatusOr<v1::ListQueueResponse> DetailApi::ListQueue(const v1::ListQueueRequest& request) {
  ASSIGN_OR_RETURN(std::vector<v1::QueueEntry> entries, FromStore([&] {
                     return store::ListQueue(database_, request.limit(), request.after());
                   }));
  ASSIGN_OR_RETURN(const std::vector<v1::MachineView> machines,
                   FromStore([&] { return store::ListMachines(database_); }));
  scheduler::ExplainQueue(machines, entries);
  v1::ListQueueResponse response;
  response.mutable_entries()->Assign(entries.begin(), entries.end());
  return response;
}

}  // namespace shakedown::service
