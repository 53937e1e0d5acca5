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

uint32_t InterbenchPairs(const v1::InterbenchLoad& bench) {
  uint32_t pairs = 0;
  for (const std::string& benchmark : bench.benchmarks()) {
    for (const std::string& load : bench.loads()) pairs += benchmark == load ? 0 : 1;
  }
  if (bench.benchmarks().empty()) pairs = 2 * std::max<uint32_t>(1, bench.loads_size());
  if (bench.loads().empty()) pairs = std::max<uint32_t>(pairs, bench.benchmarks_size());
  return std::max(pairs, 1u);
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
