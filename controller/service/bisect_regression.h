// A regression as something to bisect.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::service {

// Last good and first bad kernel, metric, load and machine of a regression: what `shakedown bisect`
// of it alone searches. NotFound; FailedPrecondition: its load is in no job.
absl::StatusOr<v1::StartBisectRequest> BisectOfRegression(store::Database& database,
                                                          int64_t regression);

}  // namespace shakedown::service
