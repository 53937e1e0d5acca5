// What history reads: series of boot summaries.
#ifndef SHAKEDOWN_DB_STORE_SERIES_H_
#define SHAKEDOWN_DB_STORE_SERIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/database.h"
#include "db/store/import_series.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::store {

// One metric of one load on one machine; kernels of every class.
struct SeriesRow {
  int64_t id = 0;
  std::string metric, machine, loads, unit;
};
// Of exactly this metric; empty machine: of every one. By machine and load.
absl::StatusOr<std::vector<SeriesRow>> FindSeries(Database& database, const std::string& metric,
                                                  const std::string& machine);
// The same with what was imported of the metric, on one snapshot. ResourceExhausted: more than
// kMostImportedRuns.
struct HistorySources {
  std::vector<SeriesRow> series;
  ImportedHistory imported;
};
absl::StatusOr<HistorySources> FindHistory(Database& database, const std::string& metric,
                                           const std::string& machine);
// That a job added to.
absl::StatusOr<std::vector<SeriesRow>> SeriesOfJob(Database& database, int64_t job);

struct HistoryKernel {
  int64_t id = 0;
  std::string kernel, version, class_name;
  uint32_t failed = 0;  // Boots that ended in a finding, on this machine with this load.
};
struct HistoryEpoch {
  int64_t id = 0;
  std::map<std::string, std::string> facts;
};
struct HistoryBoot {
  int64_t kernel = 0, epoch = 0;  // Ids.
  int64_t job = 0;
  uint32_t block = 0, variant = 0, attempt = 0, n = 0;
  double median = 0;
  absl::Time ended;
};
struct SeriesContent {
  std::vector<HistoryKernel> kernels;  // With a number, or a failure.
  std::vector<HistoryEpoch> epochs;
  std::vector<HistoryBoot> boots;  // By job, block, variant.
};
// ResourceExhausted: more boots than `most`.
absl::StatusOr<SeriesContent> ReadSeries(Database& database, int64_t series, size_t most = 200000);

// What there is, by metric, machine, load and class: `prefix` of the metric, empty: any.
absl::StatusOr<std::vector<v1::SeriesView>> ListSeries(Database& database,
                                                       const std::string& prefix,
                                                       const std::string& machine, uint32_t limit);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SERIES_H_
