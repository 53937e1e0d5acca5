#pragma once

#include "absl/status/status.h"
#include "db/store/database.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::service {

// Fills `detect` and `detect_note` of a plan for a job that PrepareJob has prepared.
// `boot_seconds`: of one boot. InvalidArgument: `change` is not above 0 and below 1.
absl::Status AddDetection(store::Database& database, const v1::JobSpec& spec, double change,
                          double boot_seconds, v1::PlanJobResponse* response);

}  // namespace shakedown::service
