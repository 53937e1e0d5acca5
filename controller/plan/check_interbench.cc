#include "controller/plan/check_interbench.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "controller/plan/interbench_names.h"
#include "proto/wire/ids.h"

namespace shakedown::plan {
namespace {

using Names = google::protobuf::RepeatedPtrField<std::string>;

// Together they bound what one boot does and tells: 12 hours, and 17 numbers a pair below the
// 65,536 that a load run may have.
constexpr uint64_t kMostSeconds = 12 * 3600;
constexpr uint64_t kMostMeasured = 3800;  // Pairs times iterations.

bool Has(const Names& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Known>
void CheckNames(const Names& names, const Known& known, const std::string& what, Errors& errors) {
  std::set<absl::string_view> seen;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      errors.Add(what, " ", Quoted(name), ": want one of ", absl::StrJoin(known, ", "));
    } else if (!seen.insert(name).second) {
      errors.Add(what, " ", Quoted(name), ": named twice, want each once");
    }
  }
}

void CheckSigned(const std::string& what, int32_t value, Errors& errors) {
  if (value < -20 || value > 19) errors.Add(what, " ", value, ": want -20 to 19");
}

void CheckCustom(const v1::InterbenchLoad& bench, const std::string& where, Errors& errors) {
  const bool named = Has(bench.benchmarks(), "Custom") || Has(bench.loads(), "Custom");
  if (!named && bench.custom_percent() == 0 && bench.custom_interval_us() == 0) return;
  errors.CheckRange(absl::StrCat(where, ": custom_percent"), bench.custom_percent(), 1, 100);
  errors.CheckRange(absl::StrCat(where, ": custom_interval_us"), bench.custom_interval_us(), 100,
                    10000000);
}

void CheckProfile(const v1::InterbenchLoad& bench, const std::string& where, Errors& errors) {
  if (!bench.profile().empty() && bench.profile() != "HEAD" && bench.profile() != "0.31") {
    errors.Add(where, ": profile ", Quoted(bench.profile()), ": want HEAD or 0.31");
  }
  if (bench.profile() == "0.31" && Has(bench.loads(), "Ring")) {
    errors.Add(where, ": background load \"Ring\": profile 0.31 has none");
  }
  if (bench.profile() == "0.31" && bench.single_cpu()) {
    errors.Add(where, ": single_cpu: has no effect in profile 0.31, want HEAD");
  }
  for (const char* name : {"X", "Gaming"}) {
    if (bench.realtime() && Has(bench.benchmarks(), name)) {
      errors.Add(where, ": benchmark ", Quoted(name),
                 ": never measured in real time, want Audio, Video or Custom");
    }
  }
}

void CheckAmount(const v1::Load& load, const std::string& where, Errors& errors) {
  const uint64_t iterations = std::max(1u, load.iterations()) + load.warmups();
  const uint64_t measured = InterbenchPairs(load.interbench()) * iterations;
  errors.CheckRange(absl::StrCat(where, ": pairs times iterations"), measured, 1, kMostMeasured);
  const uint64_t seconds = std::min(load.interbench().seconds(), 600u) + 3;
  errors.CheckRange(absl::StrCat(where, ": seconds of all pairs and iterations"),
                    measured * seconds, 1, kMostSeconds);
}

}  // namespace

void CheckInterbench(const v1::Load& load, const std::string& where, Errors& errors) {
  const v1::InterbenchLoad& bench = load.interbench();
  CheckNames(bench.benchmarks(), kInterbenchBenchmarks, absl::StrCat(where, ": benchmark"), errors);
  CheckNames(bench.loads(), kInterbenchLoads, absl::StrCat(where, ": background load"), errors);
  if (bench.benchmarks_size() == 1 && bench.loads_size() == 1 &&
      bench.benchmarks(0) == bench.loads(0)) {
    errors.Add(where, ": benchmark ", Quoted(bench.benchmarks(0)),
               " under itself alone: interbench skips that, want another background load");
  }
  errors.CheckRange(absl::StrCat(where, ": seconds"), bench.seconds(), 0, 600);
  if (bench.loops_per_ms() != 0) {
    errors.CheckRange(absl::StrCat(where, ": loops_per_ms"), bench.loops_per_ms(), 1000,
                      1000000000);
  }
  errors.CheckRange(absl::StrCat(where, ": burn_threads"), bench.burn_threads(), 0, 1024);
  errors.CheckRange(absl::StrCat(where, ": max_file_mib"), bench.max_file_mib(), 0, 1 << 20);
  CheckSigned(absl::StrCat(where, ": bench_nice"), bench.bench_nice(), errors);
  CheckSigned(absl::StrCat(where, ": load_nice"), bench.load_nice(), errors);
  if (load.nice() != 0) {
    errors.Add(where, ": nice ", load.nice(), ": want bench_nice and load_nice");
  }
  CheckCustom(bench, where, errors);
  CheckProfile(bench, where, errors);
  CheckAmount(load, where, errors);
}

}  // namespace shakedown::plan
