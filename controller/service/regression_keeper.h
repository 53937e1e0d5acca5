// Looks at the series of jobs that have ended, suspects, has paired jobs decide.
#pragma once

#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::service {

struct RegressionOptions {
  // Boots of paired jobs in any 24 hours, over all controllers of the database. 0: none are queued;
  // what is suspected stays suspected.
  int confirm_boots = 96;
};

// Takes every step that is due now: summaries, suspicions, paired jobs, their verdicts. Any number
// of controllers may do so at once, each step is taken once. Returns how many were taken here. It
// keeps nothing: ended in the middle, the next call goes on. An error is the first one, of one job
// or regression; the others have had their turn.
absl::StatusOr<int> KeepRegressions(store::Database& database, const RegressionOptions& options);

}  // namespace shakedown::service
