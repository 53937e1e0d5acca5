// What reports and estimates read.
#ifndef SHAKEDOWN_DB_STORE_REPORTS_H_
#define SHAKEDOWN_DB_STORE_REPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "google/protobuf/repeated_field.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// One attempt that has ended, in plan order (block, position, attempt).
struct ReportBoot {
  v1::BootView view;
  // As it was recorded, without series, top and outputs. Default when the farm ended it without a
  // result.
  v1::BootResult result;
};

struct ReportVariant {
  v1::Variant variant;
  v1::Kernel kernel;  // As resolved at submit.
  v1::BuildView build;
  v1::ExpectedIdentity expected;  // Default unless built.
  v1::Artefact image, config;     // Likewise.
};

struct ReportData {
  v1::JobView job;                      // Without boots.
  std::vector<ReportVariant> variants;  // A first.
  std::vector<ReportBoot> boots;
};

// NotFound as GetJob.
absl::StatusOr<ReportData> GetReportData(Database& database, int64_t job);

// The telemetry of one load run of an attempt. Gaps are NaN.
absl::StatusOr<std::vector<v1::Series>> GetSeries(Database& database, const std::string& attempt_id,
                                                  uint32_t load);

// The busiest tasks of one load run, as reported; empty: none were.
absl::StatusOr<std::vector<v1::TopSnapshot>> GetTop(Database& database,
                                                    const std::string& attempt_id, uint32_t load);

struct PastDuration {
  double median_s = 0;
  uint32_t n = 0;       // 0: no past.
  std::string machine;  // Where most of them were; empty for builds.
};

// Lease to result of measured boots with exactly these loads, the last 100.
absl::StatusOr<PastDuration> PastBoots(Database& database,
                                       const google::protobuf::RepeatedPtrField<v1::Load>& loads);
// Builds that were really made (not reused), the last 20.
absl::StatusOr<PastDuration> PastBuilds(Database& database);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_REPORTS_H_
