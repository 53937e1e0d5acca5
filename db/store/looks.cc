#include "db/store/looks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "db/store/job_blocks.h"
#include "db/store/settle.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kMostDue = 100;  // At one time; the others are found next time.

// Locks the job's builds and its row, builds first as everywhere. False: it is another than decided
// about.
bool LockUnchanged(Transaction& tx, const Decision& decision) {
  // So that none ends between the state that new boots are made for and their being there.
  if (!decision.add.empty()) {
    tx.exec_params(
        "SELECT id FROM builds WHERE id IN (SELECT build FROM variants WHERE job = $1) ORDER BY id "
        "FOR SHARE",
        decision.job);
  }
  return !tx.exec_params(
                "SELECT FROM jobs WHERE id = $1 AND version = $2 AND state = 'active' "
                "AND NOT cancel_requested FOR NO KEY UPDATE",
                decision.job, decision.version)
              .empty();
}

void InsertLook(Transaction& tx, int64_t job, const v1::LookView& look) {
  tx.exec_params(
      "INSERT INTO job_looks (job, look, after_blocks, decision, text) VALUES ($1, $2, $3, $4, $5)",
      job, static_cast<int64_t>(look.look()), static_cast<int64_t>(look.after_blocks()),
      Text(look.decision()), Text(look.text()));
}

absl::Status AddBlocks(Transaction& tx, const Decision& decision) {
  if (decision.add.empty()) return absl::OkStatus();
  const pqxx::row row = tx.exec_params1(
      "SELECT plan, (SELECT count(*) FROM variants WHERE job = $1) AS variants FROM jobs WHERE id "
      "= $1",
      decision.job);
  v1::Plan plan;
  RETURN_IF_ERROR(ReadProto(row["plan"], plan));
  v1::Plan added;
  for (const v1::PlannedBlock& block : decision.add) *added.add_blocks() = block;
  RETURN_IF_ERROR(CheckBlocks(added.blocks(), static_cast<uint32_t>(plan.blocks_size()) + 1,
                              row["variants"].as<int>()));
  InsertBlocks(tx, decision.job, added.blocks());
  plan.MergeFrom(added);
  tx.exec_params("UPDATE jobs SET plan = $2 WHERE id = $1", decision.job, Bytes(Canonical(plan)));
  return absl::OkStatus();
}

// A block that a machine has begun goes on to its end: half a block is worth nothing.
void CancelUnbegun(Transaction& tx, const Decision& decision) {
  tx.exec_params(
      "UPDATE boots SET state = 'ended', outcome = 'cancelled', reason = $2, ended_at = now() "
      "WHERE job = $1 AND state IN ('waiting', 'queued') AND block IN "
      "(SELECT block FROM blocks WHERE job = $1 AND machine IS NULL)",
      decision.job, Text(decision.reason));
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> DueJobs(Database& database) {
  std::vector<int64_t> due;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    due.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT id FROM jobs j WHERE state = 'active' AND NOT cancel_requested AND ("
        "NOT EXISTS (SELECT FROM boots o WHERE o.job = j.id AND o.state <> 'ended') "
        "OR (NOT " SHAKEDOWN_TIME_LEFT
        " AND EXISTS (SELECT FROM blocks k JOIN boots o USING (job, block) "
        "WHERE k.job = j.id AND k.machine IS NULL AND o.state IN ('waiting', 'queued')))) "
        "ORDER BY id LIMIT $1",
        kMostDue);
    for (const pqxx::row& row : rows) due.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  return due;
}

absl::StatusOr<JobClock> GetJobClock(Database& database, int64_t job) {
  JobClock clock;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    clock = JobClock();
    const pqxx::result found = tx.exec_params(
        "SELECT version, block_s, extract(epoch FROM now() - started_at)::double precision AS "
        "spent FROM jobs WHERE id = $1",
        job);
    if (found.empty()) return absl::NotFoundError(absl::StrCat("job ", job, ": no such job"));
    clock.version = found[0]["version"].as<int64_t>();
    clock.block_s = found[0]["block_s"].as<double>();
    if (!found[0]["spent"].is_null()) clock.spent_s = found[0]["spent"].as<double>();
    return absl::OkStatus();
  }));
  return clock;
}

absl::StatusOr<bool> Decide(Database& database, const Decision& decision) {
  bool done = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    done = LockUnchanged(tx, decision);
    if (!done) return absl::OkStatus();
    if (decision.look.has_value()) InsertLook(tx, decision.job, *decision.look);
    RETURN_IF_ERROR(AddBlocks(tx, decision));
    if (decision.cancel_unbegun) CancelUnbegun(tx, decision);
    if (decision.finish) {
      RETURN_IF_ERROR(EndJob(tx, decision.job, decision.reason));
    } else {
      tx.exec_params("UPDATE jobs SET version = version + 1 WHERE id = $1", decision.job);
    }
    Notify(tx);
    return absl::OkStatus();
  }));
  return done;
}

}  // namespace shakedown::store
