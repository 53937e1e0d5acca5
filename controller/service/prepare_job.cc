#include "controller/service/prepare_job.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/plan/estimate.h"
#include "controller/plan/make_plan.h"
#include "controller/plan/views.h"
#include "kernels/recipe/keys.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

std::string MachinesText(const std::vector<v1::MachineView>& machines) {
  if (machines.empty()) return "no agent has shown a machine yet";
  return absl::StrCat("there are ",
                      absl::StrJoin(machines, ", ", [](std::string* out, const auto& m) {
                        absl::StrAppend(out, m.name(), " (", absl::StrJoin(m.tags(), " "), ")");
                      }));
}

}  // namespace

absl::Status CheckMachines(const v1::MachineSelector& selector,
                           const std::vector<v1::MachineView>& machines) {
  if (selector.names().empty() && selector.tags().empty()) return absl::OkStatus();
  for (const std::string& name : selector.names()) {
    const bool known = std::any_of(machines.begin(), machines.end(),
                                   [&](const auto& machine) { return machine.name() == name; });
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("machine ", Quoted(name), ": no such machine; ", MachinesText(machines)));
    }
  }
  if (std::any_of(machines.begin(), machines.end(),
                  [&](const auto& machine) { return plan::Meets(machine, selector); })) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("machines with all of the tags ", absl::StrJoin(selector.tags(), ", "),
                   ": none among those named; ", MachinesText(machines)));
}

absl::StatusOr<store::Submission> PrepareJob(const v1::JobSpec& spec, const plan::Kernels& kernels,
                                             const std::vector<v1::MachineView>& machines,
                                             const kernels::FragmentReader& fragments,
                                             uint64_t seed) {
  RETURN_IF_ERROR(plan::CheckJob(spec, kernels));
  RETURN_IF_ERROR(CheckMachines(spec.machines(), machines));
  store::Submission submission;
  submission.spec = plan::WithDefaults(spec);
  submission.plan =
      plan::MakePlan(submission.spec, spec.order_seed() != 0 ? spec.order_seed() : seed);
  for (const v1::Variant& variant : submission.spec.variants()) {
    const absl::StatusOr<v1::ResolvedKernel> resolved =
        kernels::Resolve(kernels.at(variant.kernel()), fragments);
    if (!resolved.ok()) {
      return Annotate(resolved.status(), absl::StrCat("kernel ", variant.kernel()));
    }
    submission.variants.push_back({.kernel = *resolved,
                                   .request_key = kernels::RequestKey(*resolved),
                                   .build_limit_s = plan::kBuildLimitSeconds});
  }
  submission.boot_limit_s = plan::kBootLimitSeconds;
  submission.run_limit_s = plan::RunLimitSeconds(submission.spec);
  return submission;
}

uint64_t DrawSeed() {
  std::random_device device;
  std::uniform_int_distribution<uint64_t> draw(1, (uint64_t{1} << 53) - 1);
  return draw(device);
}

}  // namespace shakedown::service
