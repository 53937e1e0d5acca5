// FarmApi::Reproduce: a boot and what it was made of, as a script.
#include "absl/strings/str_cat.h"
#include "controller/plan/reproduce.h"
#include "controller/service/farm_api.h"
#include "controller/service/store_call.h"
#include "db/store/jobs.h"
#include "db/store/reports.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

// The attempt that was named, else the latest.
absl::StatusOr<v1::BootView> FindBoot(const v1::JobView& job, const BootName& name) {
  const v1::BootView* found = nullptr;
  for (const v1::BootView& boot : job.boots()) {
    if (boot.block() != name.block || boot.variant() != name.variant) continue;
    if (name.attempt == 0 || boot.attempt() == name.attempt) found = &boot;
  }
  if (found != nullptr) return *found;
  return absl::NotFoundError(absl::StrCat("boot ", FormatBootName(name), ": no such boot"));
}

}  // namespace

absl::StatusOr<v1::ReproduceResponse> FarmApi::Reproduce(const v1::ReproduceRequest& request) {
  ASSIGN_OR_RETURN(const BootName name, ParseBootName(request.boot()));
  ASSIGN_OR_RETURN(const v1::JobView job,
                   FromStore([&] { return store::GetJob(database_, name.job); }));
  plan::BootToRepeat repeat;
  repeat.job = name.job;
  repeat.spec = job.spec();
  ASSIGN_OR_RETURN(repeat.boot, FindBoot(job, name));
  ASSIGN_OR_RETURN(const store::ReportData data,
                   FromStore([&] { return store::GetReportData(database_, name.job); }));
  if (name.variant >= data.variants.size()) {
    return absl::NotFoundError(absl::StrCat("boot ", FormatBootName(name), ": no such boot"));
  }
  const store::ReportVariant& variant = data.variants[name.variant];
  repeat.variant = variant.variant;
  repeat.kernel = variant.kernel;
  repeat.build = variant.build;
  repeat.image = variant.image;
  repeat.config = variant.config;
  repeat.expected = variant.expected;
  for (const store::ReportBoot& boot : data.boots) {
    if (boot.view.attempt_id() == repeat.boot.attempt_id()) repeat.result = boot.result;
  }
  v1::ReproduceResponse response;
  response.set_script(plan::ReproduceScript(repeat));
  return response;
}

}  // namespace shakedown::service
