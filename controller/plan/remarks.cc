#include "controller/plan/remarks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "controller/plan/check_variant.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "controller/plan/views.h"
#include "proto/wire/ids.h"

namespace shakedown::plan {
namespace {

using Remarks = std::vector<std::string>;

void RemarkVariants(const v1::JobSpec& spec, Remarks& remarks) {
  for (int late = 1; late < spec.variants_size(); ++late) {
    if (spec.variants(late).control()) continue;
    for (int early = 0; early < late; ++early) {
      if (PrintVariant(spec.variants(early)) != PrintVariant(spec.variants(late))) continue;
      remarks.push_back(absl::StrCat("variants ", std::string(1, VariantLetter(early)), " and ",
                                     std::string(1, VariantLetter(late)), " are the same, ",
                                     Quoted(PrintVariant(spec.variants(late))),
                                     ": a verdict on them can only be noise; to measure the noise "
                                     "say --control (control: true)"));
      break;
    }
  }
}

void RemarkLoads(const v1::JobSpec& spec, Remarks& remarks) {
  for (int late = 1; late < spec.loads_size(); ++late) {
    for (int early = 0; early < late; ++early) {
      if (PrintLoad(spec.loads(early)) != PrintLoad(spec.loads(late))) continue;
      remarks.push_back(absl::StrCat(
          "loads ", early + 1, " and ", late + 1, " are the same, ",
          Quoted(PrintLoad(spec.loads(late))),
          ": it runs twice in each boot; to run one load several times say iterations=N"));
      break;
    }
  }
}

// Frequencies are the host's: a guest has no cpufreq.
bool WantsFrequencies(const v1::SetupStep& step) {
  return step.kind_case() == v1::SetupStep::kGovernor || step.kind_case() == v1::SetupStep::kTurbo;
}

void RemarkSetup(const v1::JobSpec& spec, const std::vector<v1::MachineView>& machines,
                 Remarks& remarks) {
  size_t possible = 0, guests = 0;
  for (const v1::MachineView& machine : machines) {
    if (!Meets(machine, spec.machines())) continue;
    ++possible;
    guests += std::count(machine.tags().begin(), machine.tags().end(), "vm") > 0;
  }
  if (guests == 0) return;
  for (const v1::SetupStep& step : spec.setup()) {
    if (!WantsFrequencies(step)) continue;
    remarks.push_back(absl::StrCat("setup ", Quoted(PrintSetupStep(step)), ": ", guests, " of the ",
                                   possible, possible == 1 ? " machine" : " machines",
                                   " that may take the job ", guests == 1 ? "is a VM" : "are VMs",
                                   ", without frequencies to set: boots there fail"));
  }
}

}  // namespace

std::vector<std::string> RemarksOn(const v1::JobSpec& spec,
                                   const std::vector<v1::MachineView>& machines) {
  Remarks remarks;
  RemarkVariants(spec, remarks);
  RemarkLoads(spec, remarks);
  RemarkSetup(spec, machines, remarks);
  return remarks;
}

}  // namespace shakedown::plan
