#include "controller/plan/check_setup.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "controller/plan/setup_text.h"
#include "proto/wire/ids.h"

namespace shakedown::plan {
namespace {

constexpr int kMostSteps = 64;
constexpr char kAutogroup[] = "kernel.sched_autogroup_enabled";

// The tunable that a step sets; empty: none.
std::string TunableOf(const v1::SetupStep& step) {
  return step.has_autogroup() ? kAutogroup : step.tunable().name();
}

void CheckAgainstVariants(const v1::JobSpec& spec, const Kernels& kernels,
                          const v1::SetupStep& step, const std::string& where, Errors& errors) {
  const std::string name = TunableOf(step);
  if (name.empty()) return;
  for (int i = 0; i < std::min(spec.variants_size(), 26); ++i) {
    for (const v1::Tunable& tunable : spec.variants(i).tunables()) {
      if (tunable.name() != name) continue;
      errors.Add(where, ": sets ", name, ", as variant ",
                 std::string(1, VariantLetter(static_cast<uint32_t>(i))),
                 " does: want it in one of them");
    }
    const auto kernel = kernels.find(spec.variants(i).kernel());
    if (kernel == kernels.end()) continue;
    for (const v1::Tunable& tunable : kernel->second.tunables()) {
      if (tunable.name() != name) continue;
      errors.Add(where, ": sets ", name, ", which kernel ", kernel->first, " has at ",
                 tunable.value(), ": want it as a tunable of the variants, as in '", kernel->first,
                 " ", name, "=…'");
    }
  }
}

bool IsProgramWord(absl::string_view word) {
  return !word.empty() && word.size() <= 256 &&
         std::all_of(word.begin(), word.end(), absl::ascii_isgraph);
}

}  // namespace

void CheckSetup(const v1::JobSpec& spec, const Kernels& kernels, Errors& errors) {
  errors.CheckRange("number of setup steps", static_cast<uint64_t>(spec.setup_size()), 0,
                    kMostSteps);
  for (int i = 0; i < std::min(spec.setup_size(), kMostSteps); ++i) {
    const std::string where = absl::StrCat("setup step ", i + 1);
    const absl::Status good = CheckSetupStep(spec.setup(i));
    if (!good.ok()) errors.Add(where, ": ", std::string(good.message()));
    CheckAgainstVariants(spec, kernels, spec.setup(i), where, errors);
  }
}

void CheckSchedExt(const v1::SchedExt& scheduler, const std::string& where, Errors& errors) {
  errors.CheckRange(absl::StrCat(where, ": words of the sched_ext program"),
                    static_cast<uint64_t>(scheduler.command_size()), 1, 64);
  for (const std::string& word : scheduler.command()) {
    if (IsProgramWord(word)) continue;
    errors.Add(where, ": sched_ext program: ", Quoted(word),
               ": want words of 1 to 256 printable ASCII characters without blanks");
  }
  // SCX_OPS_NAME_LEN of the kernel, without its NUL.
  if (scheduler.ops().size() > 127 ||
      !std::all_of(scheduler.ops().begin(), scheduler.ops().end(), [](char c) {
        return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '+';
      })) {
    errors.Add(where, ": sched_ext name ", Quoted(scheduler.ops()),
               ": want at most 127 of A-Z a-z 0-9 _ . + -");
  }
}

}  // namespace shakedown::plan
