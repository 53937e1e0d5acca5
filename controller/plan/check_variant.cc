#include "controller/plan/check_variant.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "controller/plan/check_setup.h"
#include "proto/wire/ids.h"

namespace shakedown::plan {
namespace {

constexpr size_t kMaxWord = 256;
constexpr int kMaxWords = 64;

// Printable ASCII without blanks, quotes and backslashes: one word on a kernel's command line and
// in a shell.
bool IsPlainWord(absl::string_view word) {
  return !word.empty() && word.size() <= kMaxWord &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return absl::ascii_isgraph(c) && c != '"' && c != '\'' && c != '\\' && c != '`';
         });
}

bool IsNamePart(absl::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         std::all_of(part.begin(), part.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; });
}

// "kernel.sched_rt_runtime_us" or "sched/base_slice_ns": every part plain, so that none can leave
// its folder.
bool IsTunableName(absl::string_view name) {
  const bool debugfs = absl::ConsumePrefix(&name, "sched/");
  const std::vector<absl::string_view> parts = absl::StrSplit(name, debugfs ? '/' : '.');
  return name.size() <= 128 && (debugfs || parts.size() >= 2) &&
         std::all_of(parts.begin(), parts.end(), IsNamePart);
}

// A parameter may also break the machine's own (init=, root=): how a kernel fails can be tried on
// purpose.
void CheckBootParameter(const std::string& parameter, const std::string& where, Errors& errors) {
  if (!IsPlainWord(parameter)) {
    errors.Add(where, ": boot parameter ", Quoted(parameter),
               ": want 1 to 256 printable ASCII characters without blanks, quotes and backslashes");
  } else if (parameter == "--") {
    errors.Add(where, ": boot parameter \"--\": it ends the kernel's parameters, want none");
  }
}

void CheckTunable(const v1::Tunable& tunable, const std::string& where, Errors& errors) {
  if (!IsTunableName(tunable.name())) {
    errors.Add(where, ": tunable ", Quoted(tunable.name()),
               ": want a sysctl such as kernel.sched_autogroup_enabled or a file such as "
               "sched/base_slice_ns");
  }
  if (!IsPlainWord(tunable.value())) {
    errors.Add(where, ": tunable ", Quoted(tunable.name()), " value ", Quoted(tunable.value()),
               ": want 1 to 256 printable ASCII characters without blanks, quotes and backslashes");
  }
}

void CheckKernelOf(const v1::Variant& variant, const std::string& where, const Kernels& kernels,
                   Errors& errors) {
  const absl::Status name = CheckName(absl::StrCat(where, ": kernel"), variant.kernel());
  const auto found = kernels.find(variant.kernel());
  if (!name.ok()) {
    errors.Add(std::string(name.message()));
  } else if (found == kernels.end()) {
    errors.Add(where, ": kernel ", Quoted(variant.kernel()),
               ": not in the catalog, want a name that `shakedown kernels` lists");
  } else if (!found->second.unbuildable().empty()) {
    errors.Add(where, ": kernel ", Quoted(variant.kernel()),
               " can not be built here: ", found->second.unbuildable());
  }
}

}  // namespace

void CheckVariant(const v1::Variant& variant, const std::string& where, const Kernels& kernels,
                  Errors& errors) {
  CheckKernelOf(variant, where, kernels, errors);
  errors.CheckRange(absl::StrCat(where, ": number of boot parameters"),
                    variant.boot_parameters_size(), 0, kMaxWords);
  errors.CheckRange(absl::StrCat(where, ": number of tunables"), variant.tunables_size(), 0,
                    kMaxWords);
  for (const std::string& parameter : variant.boot_parameters()) {
    CheckBootParameter(parameter, where, errors);
  }
  if (variant.has_sched_ext()) CheckSchedExt(variant.sched_ext(), where, errors);
  std::set<absl::string_view> names;
  for (const v1::Tunable& tunable : variant.tunables()) {
    CheckTunable(tunable, where, errors);
    if (!names.insert(tunable.name()).second) {
      errors.Add(where, ": tunable ", Quoted(tunable.name()), ": set twice, want each once");
    }
  }
}

}  // namespace shakedown::plan
