// What a job does when its boots have ended: who is due, and the decision, taken once.
#ifndef SHAKEDOWN_DB_STORE_LOOKS_H_
#define SHAKEDOWN_DB_STORE_LOOKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// Active jobs that somebody must decide about, oldest first: all their boots have ended, or their
// time is over for blocks that no machine has begun. Not those that are being cancelled: they end
// by themselves.
absl::StatusOr<std::vector<int64_t>> DueJobs(Database& database);

// The clock of a job; the database's, as everywhere.
struct JobClock {
  int64_t version = 0;            // As JobVersion.
  std::optional<double> spent_s;  // Since its first boot was leased; absent before.
  double block_s = 0;  // What one block takes, by its own blocks or the past; 0: not known.
};

// NotFound as GetJob.
absl::StatusOr<JobClock> GetJobClock(Database& database, int64_t job);

struct Decision {
  int64_t job = 0;
  int64_t version = 0;                // Of the job that was decided about.
  std::optional<v1::LookView> look;   // The look it followed from; without a time.
  std::vector<v1::PlannedBlock> add;  // Numbered on from the plan's last.
  bool cancel_unbegun = false;        // Blocks that no machine has begun end as cancelled.
  bool finish = false;                // The job is done.
  std::string reason;                 // Of the end, or of what is cancelled.
};

// Does it in one transaction, with the job locked. False: the job is no more what was decided about
// (another controller was faster, it was cancelled, a boot has ended); nothing was done.
// InvalidArgument: the blocks do not fit to the plan. FailedPrecondition: to finish with open
// boots.
absl::StatusOr<bool> Decide(Database& database, const Decision& decision);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_LOOKS_H_
