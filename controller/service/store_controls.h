#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::service {

// Everything a report of the job is made from. Errors as store::GetReportData, in FromStore's
// words.
absl::StatusOr<v1::ReportData> ReadReportData(store::Database& database, int64_t job);

// Judges the A/A control of a job that has ended and stores what it found, once: a job without one,
// one that goes on, and one whose control is stored are OK and left alone.
absl::Status StoreControl(store::Database& database, const v1::ReportData& data);

// The same for every job that has ended with its control not stored yet. Returns how many were. To
// be called now and then: what one controller leaves undone the next call of any does.
absl::StatusOr<int> StoreOpenControls(store::Database& database);

}  // namespace shakedown::service
