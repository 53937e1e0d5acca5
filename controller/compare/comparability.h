#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What a difference of a fact between two variants means.
enum class Tier {
  kHard,     // The two must not be compared.
  kSoft,     // Told, and compared all the same.
  kSubject,  // What may differ: it is the kernel or its setting.
};

// Of a fact of a fingerprint, or of a declared difference ("source version", "config", "tunables").
// What is not known is soft.
Tier TierOf(absl::string_view name);
std::string TierWord(Tier tier);

// Whether two values of a fact differ so that it counts: the memory a kernel leaves over differs by
// a little, and of the mitigations those that both kernels know are compared, and of those the
// first word; of preemption modes the chosen one. A value that could not be read is no difference.
bool Differs(absl::string_view name, absl::string_view base, absl::string_view challenger);

// Sets `hard_differences` (of the boots of one block) and `confounded`.
//
// A variant declares its kernel by name, its boot parameters and its tunables. A declared kernel
// may differ in one thing: source version, patches, config, toolchain, the entry's own parameters
// and tunables, or one of the subject facts that nothing declared explains. Two or more at once are
// CONFOUNDED: nobody can tell which of them made the change. Where the kernel is the same, none may
// differ. A fragment named after the version that it is for ("guest-6.12.config" of a 6.12) belongs
// to the source version.
void AddComparability(const v1::ReportData& data, v1::Report* report);

}  // namespace shakedown::compare
