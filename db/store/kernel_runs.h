// Numbers of kernels on one machine, one a run and metric: what kernels are compared by.
#ifndef SHAKEDOWN_DB_STORE_KERNEL_RUNS_H_
#define SHAKEDOWN_DB_STORE_KERNEL_RUNS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::store {

struct RunsQuery {
  std::vector<std::string> kernels;
  std::string machine;
  std::string metric;  // The beginning of the names; empty: all.
};

// The boots of one kernel that are read, the newest.
inline constexpr int64_t kMostBoots = 200;
// Rows of one answer; with more it is ResourceExhausted, saying to ask for less.
inline constexpr int64_t kMostRuns = 200'000;

// One run of a text: the median of its iterations that are no warm-up.
struct ImportedRun {
  int64_t import = 0;
  std::string kernel;
  std::string tunables;
  std::string metric;
  std::string detail;
  std::string unit;
  std::string direction;
  uint32_t run = 0;
  double value = 0;
  bool starred = false;
};
// In the order of the imports and their texts.
absl::StatusOr<std::vector<ImportedRun>> ImportedRuns(Database& database, const RunsQuery& query);

// One load of one boot, measured and not repeated by another block: the median of its measured
// iterations.
struct FarmRun {
  std::string boot;  // "17.3B".
  std::string kernel;
  int64_t job = 0;
  uint32_t variant = 0;
  uint32_t load = 0;
  std::string metric;
  std::string unit;
  double value = 0;
};
struct FarmRuns {
  std::vector<FarmRun> runs;  // By job, block, variant, load, metric.
  std::map<int64_t, v1::JobSpec> jobs;
  std::set<std::string> cut;  // Kernels with more boots than were read.
};
absl::StatusOr<FarmRuns> MeasuredRuns(Database& database, const RunsQuery& query);

// Facts and sources of imports of the machine and kernels, for telling what differs.
struct ImportFacts {
  int64_t import = 0;
  std::string kernel;
  std::string tunables;
  std::string format;
  std::string source;
  std::map<std::string, std::string> facts;
};
absl::StatusOr<std::vector<ImportFacts>> FactsOfImports(Database& database, const RunsQuery& query);

// Machines that have numbers of the kernel, by name.
absl::StatusOr<std::vector<std::string>> MachinesWith(Database& database,
                                                      const std::string& kernel);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_KERNEL_RUNS_H_
