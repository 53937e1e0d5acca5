// What follows when a boot or a build has come to an end: new attempts, boots that may start, jobs
// that wait for a decision. Used by results, agents, cancel and janitor alike. Rows are locked in
// the order that 0001_farm.sql gives.
#ifndef SHAKEDOWN_DB_STORE_SETTLE_H_
#define SHAKEDOWN_DB_STORE_SETTLE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/store/pool.h"

namespace shakedown::store {

// One attempt, with its job's row locked and its own.
struct LockedBoot {
  int64_t job = 0;
  int attempt = 0;
  int max_attempts = 0;
  int loads = 0;
  std::string state, agent, machine;
  int64_t epoch = 0;
  bool cancel_requested = false;
};

// NotFound: no such attempt.
absl::StatusOr<LockedBoot> LockBoot(Transaction& tx, const std::string& attempt_id);

// Ends a running attempt, gives its machine's lease back or on to the next boot of that epoch,
// makes the next attempt when the outcome is the farm's and the job's limit allows. A disturbed one
// has none: its whole block is repeated. What was cancelled and not finished ends as cancelled;
// what its agent cancelled unasked was handed back: farm_failed, and not counted against the limit.
// The row is tested by (id, state, epoch) once more. `outcome` is a word of words.h.
absl::Status EndBoot(Transaction& tx, const std::string& attempt_id, const LockedBoot& boot,
                     absl::string_view outcome, absl::string_view reason);

// The current attempt of a running build does not count: its agent gave it back unasked. Before
// EndBuildAttempt.
void HandBackBuild(Transaction& tx, const std::string& build);

// Ends the current attempt of a running build as the farm's failure: queued again, or at the last
// attempt over, with its boots farm_failed. The build's row is locked by the caller.
// `result_sha256`: of the report, or empty.
void EndBuildAttempt(Transaction& tx, const std::string& build, absl::string_view error,
                     absl::string_view result_sha256);

// The build's row has just become 'built': its waiting boots are queued.
void QueueBoots(Transaction& tx, const std::string& build);

// The build's row is over without an image: its waiting boots end, and with them maybe their jobs.
void EndWaitingBoots(Transaction& tx, const std::string& build, absl::string_view outcome,
                     absl::string_view reason);

// Lets watchers see that something of the job has ended. With its last boot a job that is being
// cancelled ends; any other is due for a decision (looks.h). Its row is locked by the caller.
void SettleJob(Transaction& tx, int64_t job);

// The job is done: `reason` says why. FailedPrecondition: a boot of it is open, or it has ended.
// Its row is locked by the caller.
absl::Status EndJob(Transaction& tx, int64_t job, absl::string_view reason);

// Lets watchers see the jobs that need a build.
void TouchJobsOf(Transaction& tx, const std::string& build);

// Keeps what an agent reported and the farm did not accept.
void KeepEvidence(Transaction& tx, const std::string& subject, const std::string& agent,
                  absl::string_view why, absl::string_view content);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SETTLE_H_
