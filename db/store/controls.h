// What A/A controls have found, stored once for each job that has one.
#ifndef SHAKEDOWN_DB_STORE_CONTROLS_H_
#define SHAKEDOWN_DB_STORE_CONTROLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::store {

// Jobs that have ended and whose control is not stored yet, oldest first, at most 20.
absl::StatusOr<std::vector<int64_t>> JobsWithOpenControl(Database& database);

// Stores what the job's control has found. OK and nothing done when that is stored already, or the
// job has none. NotFound: no such job. FailedPrecondition: it has not ended.
absl::Status StoreControl(Database& database, int64_t job, const v1::ReportControl& control);

// Of the controls of jobs with the same loads as `job` that ended before it did, on any machine.
// For a job that goes on: of all there are.
absl::StatusOr<std::vector<v1::PastNoise>> NoiseBefore(Database& database, int64_t job);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_CONTROLS_H_
