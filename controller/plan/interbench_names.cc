#include "controller/plan/interbench_names.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace shakedown::plan {

bool IsInterbenchBenchmark(absl::string_view name) {
  return std::find(kInterbenchBenchmarks.begin(), kInterbenchBenchmarks.end(), name) !=
         kInterbenchBenchmarks.end();
}

bool IsInterbenchLoad(absl::string_view name) {
  return std::find(kInterbenchLoads.begin(), kInterbenchLoads.end(), name) !=
         kInterbenchLoads.end();
}

std::string CanonicalInterbenchName(absl::string_view name) {
  for (absl::string_view known : kInterbenchBenchmarks) {
    if (absl::EqualsIgnoreCase(known, name)) return std::string(known);
  }
  for (absl::string_view known : kInterbenchLoads) {
    if (absl::EqualsIgnoreCase(known, name)) return std::string(known);
  }
  return std::string(name);
}

}  // namespace shakedown::plan
