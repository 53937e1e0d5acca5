// What history reads of imports: which series there are, and the runs of one metric.
#ifndef SHAKEDOWN_DB_STORE_IMPORT_SERIES_H_
#define SHAKEDOWN_DB_STORE_IMPORT_SERIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/kernel_runs.h"
#include "google/protobuf/timestamp.pb.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::store {

// What there is, by metric, machine and what else sets them apart: `prefix` of the metric, empty:
// any. Kernels with other tunables are kernels of their own.
absl::StatusOr<std::vector<v1::SeriesView>> ListImportedSeries(Database& database,
                                                               const std::string& prefix,
                                                               const std::string& machine,
                                                               uint32_t limit);

// A text that numbers are of.
struct ImportOrigin {
  std::string machine;
  std::string format;
  std::string source;
  bool shipped = false;
  google::protobuf::Timestamp when;  // Measured; where that is not known, added.
  std::map<std::string, std::string> facts;
};
inline constexpr size_t kMostImportedRuns = 200000;
struct ImportedHistory {
  std::vector<ImportedRun> runs;            // In the order of the imports and their texts.
  std::map<int64_t, ImportOrigin> imports;  // Those that `runs` are of.
};
// Of exactly this metric; empty machine: of every one. ResourceExhausted: more runs than `most`.
absl::StatusOr<ImportedHistory> ReadImportedHistory(Database& database, const std::string& metric,
                                                    const std::string& machine,
                                                    size_t most = kMostImportedRuns);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_IMPORT_SERIES_H_
