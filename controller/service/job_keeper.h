// Decides about jobs whose boots have ended: looks at their numbers, adds blocks, ends them.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::service {

// Takes every step that is due now; any number of controllers may do so at once, each step is taken
// once. Returns how many were taken here. It keeps nothing: ended in the middle, the next call goes
// on. An error is the first one, of one job; the others have had their turn.
absl::StatusOr<int> KeepJobs(store::Database& database);

}  // namespace shakedown::service
