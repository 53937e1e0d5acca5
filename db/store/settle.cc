#include "db/store/settle.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/builds.h"
#include "db/store/job_blocks.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// Of one boot in all: an agent that hands back for ever comes to an end.
constexpr int kMostLeases = 100;

// Jobs with waiting boots of a build, locked in their order.
std::vector<int64_t> LockJobsOf(Transaction& tx, const std::string& build) {
  std::vector<int64_t> jobs;
  const pqxx::result rows = tx.exec_params(
      "SELECT id FROM jobs WHERE state = 'active' AND id IN (SELECT job FROM variants WHERE build "
      "= $1) "
      "ORDER BY id FOR NO KEY UPDATE",
      build);
  for (const pqxx::row& row : rows) jobs.push_back(row[0].as<int64_t>());
  return jobs;
}

void Touch(Transaction& tx, const std::vector<int64_t>& jobs) {
  tx.exec_params("UPDATE jobs SET version = version + 1 WHERE id = ANY ($1::bigint[])",
                 Int64Array(jobs));
}

// Not of a boot whose machine can not be set up as the job wants: it could not the next time
// either. The agent's reason then starts with "setup: ".
void InsertNextAttempt(Transaction& tx, const std::string& attempt_id) {
  tx.exec_params(
      "INSERT INTO boots (attempt_id, job, block, variant, attempt, position, state) "
      "SELECT gen_random_uuid(), job, block, variant, attempt + 1, position, 'queued' "
      "FROM boots WHERE attempt_id = $1 "
      "AND NOT (outcome = 'farm_failed' AND starts_with(reason, 'setup: '))",
      attempt_id);
}

// Attempts that were more than handed back, the present one included.
int CountTries(Transaction& tx, const std::string& attempt_id) {
  return tx
      .exec_params1(
          "SELECT count(*) FROM boots o JOIN boots t USING (job, block, variant) "
          "WHERE t.attempt_id = $1 AND NOT o.handed_back",
          attempt_id)[0]
      .as<int>();
}

bool MayTryAgain(Transaction& tx, const std::string& attempt_id, const LockedBoot& boot,
                 bool handed_back) {
  if (handed_back) return boot.attempt < kMostLeases;
  return CountTries(tx, attempt_id) < boot.max_attempts;
}

}  // namespace

absl::StatusOr<LockedBoot> LockBoot(Transaction& tx, const std::string& attempt_id) {
  RETURN_IF_ERROR(CheckUuid("attempt", attempt_id));
  const pqxx::result job = tx.exec_params(
      "SELECT id, max_attempts, loads FROM jobs WHERE id = (SELECT job FROM boots WHERE attempt_id "
      "= $1) "
      "FOR NO KEY UPDATE",
      attempt_id);
  if (job.empty())
    return absl::NotFoundError(absl::StrCat("attempt ", attempt_id, ": no such boot"));
  const pqxx::row boot = tx.exec_params1(
      "SELECT attempt, state, coalesce(agent, '') AS agent, coalesce(machine, '') AS machine, "
      "coalesce(epoch, 0) AS epoch, cancel_requested FROM boots WHERE attempt_id = $1 FOR NO KEY "
      "UPDATE",
      attempt_id);
  LockedBoot locked;
  locked.job = job[0]["id"].as<int64_t>();
  locked.max_attempts = job[0]["max_attempts"].as<int>();
  locked.loads = job[0]["loads"].as<int>();
  locked.attempt = boot["attempt"].as<int>();
  locked.state = boot["state"].as<std::string>();
  locked.agent = boot["agent"].as<std::string>();
  locked.machine = boot["machine"].as<std::string>();
  locked.epoch = boot["epoch"].as<int64_t>();
  locked.cancel_requested = boot["cancel_requested"].as<bool>();
  return locked;
}

absl::Status EndBoot(Transaction& tx, const std::string& attempt_id, const LockedBoot& boot,
                     absl::string_view outcome, absl::string_view reason) {
  const bool ours = outcome == "farm_failed" || outcome == "disturbed" || outcome == "cancelled";
  std::string word(outcome);
  if (ours)
    word = boot.cancel_requested    ? "cancelled"
           : outcome == "disturbed" ? "disturbed"
                                    : "farm_failed";
  const bool handed_back = outcome == "cancelled" && !boot.cancel_requested;
  const pqxx::result ended = tx.exec_params(
      "UPDATE boots SET state = 'ended', outcome = $3, reason = $4, ended_at = now(), "
      "handed_back = $5 WHERE attempt_id = $1 AND state = 'running' AND epoch = $2",
      attempt_id, boot.epoch, word, Text(reason), handed_back);
  if (ended.affected_rows() != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("attempt ", attempt_id, ": does not run under epoch ", boot.epoch));
  }
  // The lease goes on to the next boot of its epoch, if a block was leased whole.
  tx.exec_params(
      "UPDATE machines m SET attempt_id = (SELECT o.attempt_id FROM boots o WHERE o.machine = "
      "m.name "
      "AND o.epoch = m.epoch AND o.state = 'running' ORDER BY o.position LIMIT 1) "
      "WHERE m.attempt_id = $1 AND m.epoch = $2",
      attempt_id, boot.epoch);
  if (word == "farm_failed" && MayTryAgain(tx, attempt_id, boot, handed_back)) {
    InsertNextAttempt(tx, attempt_id);
  }
  UpdateBlockTime(tx, boot.job);
  SettleJob(tx, boot.job);
  Notify(tx);
  return absl::OkStatus();
}

void SettleJob(Transaction& tx, int64_t job) {
  tx.exec_params("UPDATE jobs SET version = version + 1 WHERE id = $1", job);
  tx.exec_params(
      "UPDATE jobs SET state = 'cancelled', ended_at = now() "
      "WHERE id = $1 AND state = 'active' AND cancel_requested "
      "AND NOT EXISTS (SELECT FROM boots WHERE job = $1 AND state <> 'ended')",
      job);
}

absl::Status EndJob(Transaction& tx, int64_t job, absl::string_view reason) {
  const pqxx::result ended = tx.exec_params(
      "UPDATE jobs SET state = 'done', ended_at = now(), end_reason = $2, version = version + 1 "
      "WHERE id = $1 AND state = 'active' "
      "AND NOT EXISTS (SELECT FROM boots WHERE job = $1 AND state <> 'ended')",
      job, Text(reason));
  if (ended.affected_rows() == 1) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("job ", job, ": has open boots, or has ended"));
}

void HandBackBuild(Transaction& tx, const std::string& build) {
  tx.exec_params(
      "UPDATE builds SET attempts = attempts - 1 "
      "WHERE id = $1 AND state = 'running' AND attempts > 0 AND epoch < $2",
      build, kMostLeases);
}

void EndBuildAttempt(Transaction& tx, const std::string& build, absl::string_view error,
                     absl::string_view result_sha256) {
  const pqxx::result row = tx.exec_params(
      "UPDATE builds SET error = $2, result_sha256 = nullif($3, ''), "
      "state = CASE WHEN attempts < $4 THEN 'queued' ELSE 'farm_failed' END, "
      "ended_at = CASE WHEN attempts < $4 THEN NULL ELSE now() END "
      "WHERE id = $1 AND state = 'running' RETURNING state",
      build, Text(error), std::string(result_sha256), kMaxBuildAttempts);
  if (row.empty()) return;
  if (row[0][0].as<std::string>() == "queued") {
    TouchJobsOf(tx, build);
  } else {
    EndWaitingBoots(tx, build, "farm_failed", absl::StrCat("build: ", error));
  }
  Notify(tx);
}

void QueueBoots(Transaction& tx, const std::string& build) {
  Touch(tx, LockJobsOf(tx, build));
  tx.exec_params(
      "UPDATE boots SET state = 'queued' FROM variants v "
      "WHERE v.build = $1 AND boots.job = v.job AND boots.variant = v.variant AND boots.state = "
      "'waiting'",
      build);
}

void EndWaitingBoots(Transaction& tx, const std::string& build, absl::string_view outcome,
                     absl::string_view reason) {
  const std::vector<int64_t> jobs = LockJobsOf(tx, build);
  tx.exec_params(
      "UPDATE boots SET state = 'ended', outcome = $2, reason = $3, ended_at = now() FROM variants "
      "v "
      "WHERE v.build = $1 AND boots.job = v.job AND boots.variant = v.variant AND boots.state = "
      "'waiting'",
      build, std::string(outcome), Text(reason));
  for (int64_t job : jobs) SettleJob(tx, job);
}

void TouchJobsOf(Transaction& tx, const std::string& build) { Touch(tx, LockJobsOf(tx, build)); }

void KeepEvidence(Transaction& tx, const std::string& subject, const std::string& agent,
                  absl::string_view why, absl::string_view content) {
  tx.exec_params(
      "INSERT INTO evidence (subject, sha256, agent, why, content) VALUES ($1, $2, $3, $4, $5) "
      "ON CONFLICT DO NOTHING",
      subject, Sha256Hex(content), Text(agent), Text(why), Bytes(content));
}

}  // namespace shakedown::store
