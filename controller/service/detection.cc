#include "controller/service/detection.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/detect.h"
#include "controller/plan/views.h"
#include "controller/service/store_call.h"
#include "db/store/agents.h"
#include "db/store/past_blocks.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

compare::PastSpread ToSpread(const store::PastSpread& past) {
  compare::PastSpread spread;
  for (const store::PastControl& control : past.controls) {
    spread.controls.push_back({.job = control.job,
                               .machine = control.machine,
                               .load = control.load,
                               .metric = control.metric,
                               .blocks = control.blocks,
                               .sd = control.sd});
  }
  for (const store::PastBlock& block : past.blocks) {
    spread.blocks.push_back({.job = block.job,
                             .variant = block.variant,
                             .machine = block.machine,
                             .load = block.load,
                             .metric = block.metric,
                             .base = block.base,
                             .challenger = block.challenger});
  }
  return spread;
}

}  // namespace

absl::Status AddDetection(store::Database& database, const v1::JobSpec& spec, double change,
                          double boot_seconds, v1::PlanJobResponse* response) {
  if (!(change > 0 && change < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("detect ", change, ": want a part above 0 and below 1, e.g. 0.03 for 3 %"));
  }
  ASSIGN_OR_RETURN(const auto machines, FromStore([&] { return store::ListMachines(database); }));
  std::vector<std::string> names;
  for (const v1::MachineView& machine : machines) {
    if (plan::Meets(machine, spec.machines())) names.push_back(machine.name());
  }
  ASSIGN_OR_RETURN(const store::PastSpread past, FromStore([&] {
                     return store::PastSpreadOf(database, spec.loads(), compare::PrimariesOf(spec),
                                                names);
                   }));
  const compare::Detection detection =
      compare::EstimateDetection(spec, change, boot_seconds, ToSpread(past));
  for (const v1::DetectEstimate& estimate : detection.estimates) *response->add_detect() = estimate;
  response->set_detect_note(detection.note);
  return absl::OkStatus();
}

}  // namespace shakedown::service
