#include "db/store/leases.h"

#include "absl/strings/str_cat.h"
#include "db/store/candidates.h"
#include "db/store/orders.h"
#include "db/store/settle.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kRaces =
    10;  // Picks that others were faster to take, before the caller is told to try again.

// One lease at a time for each agent, so that two calls can not give its host a build and a boot at
// once.
absl::Status LockAgent(Transaction& tx, const std::string& agent) {
  if (!tx.exec_params("SELECT FROM agents WHERE name = $1 FOR NO KEY UPDATE", agent).empty()) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(absl::StrCat("agent ", Quoted(agent), ": was never here"));
}

absl::Status Taken(absl::string_view what) {
  return absl::AbortedError(absl::StrCat(what, " was taken meanwhile"));
}

// The attempts that a grant of `pick` is for, in the block's order and locked. Aborted: not all as
// they were when it was picked.
absl::StatusOr<std::vector<std::string>> LockBoots(Transaction& tx, const BootPick& pick,
                                                   bool whole_block) {
  const pqxx::result open = tx.exec_params(
      "SELECT attempt_id, state FROM boots WHERE job = $1 AND block = $2 AND state <> 'ended' "
      "ORDER BY position FOR NO KEY UPDATE",
      pick.job, static_cast<int64_t>(pick.block));
  std::vector<std::string> attempts;
  bool found = false;
  for (const pqxx::row& row : open) {
    const auto attempt = row[0].as<std::string>();
    if (row[1].as<std::string>() == "running") return Taken("the block");
    found = found || attempt == *pick.attempt_id;
    if (whole_block && row[1].as<std::string>() != "queued") return Taken("the block");
    if (whole_block || attempt == *pick.attempt_id) attempts.push_back(attempt);
  }
  if (!found) return Taken("the boot");
  return attempts;
}

bool TakesBlocks(Transaction& tx, const std::string& machine) {
  const pqxx::result row =
      tx.exec_params("SELECT takes_blocks FROM machines WHERE name = $1", machine);
  return !row.empty() && row[0][0].as<bool>();
}

// Binds the block, grants the machine and its boots: the attempts, in their order. Aborted:
// somebody was faster with one of them; nothing is kept.
absl::StatusOr<std::vector<std::string>> GrantBoots(Transaction& tx, const std::string& agent,
                                                    const std::string& machine,
                                                    const BootPick& pick) {
  tx.exec_params(
      "UPDATE jobs SET version = version + 1, started_at = coalesce(started_at, now()) "
      "WHERE id = $1 AND state = 'active'",
      pick.job);
  const pqxx::result bound = tx.exec_params(
      "UPDATE blocks SET machine = $3 WHERE job = $1 AND block = $2 AND (machine IS NULL OR "
      "machine = $3)",
      pick.job, static_cast<int64_t>(pick.block), machine);
  if (bound.affected_rows() != 1) return Taken("the block");
  ASSIGN_OR_RETURN(const std::vector<std::string> attempts,
                   LockBoots(tx, pick, TakesBlocks(tx, machine)));
  const pqxx::result granted = tx.exec_params(
      "UPDATE machines SET epoch = epoch + 1, attempt_id = $3 "
      "WHERE name = $1 AND agent = $2 AND attempt_id IS NULL AND held_by IS NULL RETURNING epoch",
      machine, agent, attempts.front());
  if (granted.empty()) return Taken("the machine");
  const pqxx::result running = tx.exec_params(
      "UPDATE boots SET state = 'running', epoch = $2, machine = $3, agent = $4, leased_at = "
      "now(), "
      "incarnation = (SELECT incarnation FROM agents WHERE name = $4) "
      "WHERE attempt_id = ANY ($1::uuid[]) AND state = 'queued' AND epoch IS NULL",
      TextArray(attempts), granted[0][0].as<int64_t>(), machine, agent);
  if (running.affected_rows() != attempts.size()) return Taken("the boot");
  return attempts;
}

absl::Status GrantBuild(Transaction& tx, const std::string& agent, const std::string& build) {
  const pqxx::result free = tx.exec_params(
      "SELECT epoch FROM builds WHERE id = $1 AND state = 'queued' FOR NO KEY UPDATE SKIP LOCKED",
      build);
  if (free.empty()) return Taken("the build");
  const pqxx::result granted = tx.exec_params(
      "UPDATE builds SET state = 'running', epoch = epoch + 1, attempts = attempts + 1, agent = "
      "$3, "
      "leased_at = now(), incarnation = (SELECT incarnation FROM agents WHERE name = $3) "
      "WHERE id = $1 AND state = 'queued' AND epoch = $2",
      build, free[0][0].as<int64_t>(), agent);
  if (granted.affected_rows() != 1) return Taken("the build");
  TouchJobsOf(tx, build);
  return absl::OkStatus();
}

// One lease, tried again while others are faster: `pick` chooses from what the tables say, `grant`
// takes what was picked and adds its orders.
template <typename Lease, typename Pick, typename Grant>
absl::StatusOr<Lease> TakeTurn(Database& database, const std::string& agent, Pick pick,
                               Grant grant) {
  Lease lease;
  const auto turn = [&](Transaction& tx) -> absl::Status {
    lease = Lease();
    RETURN_IF_ERROR(LockAgent(tx, agent));
    const auto picked = pick(ReadAgentNow(tx, agent), ReadWork(tx, agent));
    lease.idle_reason = picked.idle_reason;
    if (!picked.idle_reason.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(grant(tx, picked, lease));
    Notify(tx);
    return absl::OkStatus();
  };
  absl::Status status;
  for (int i = 0; i < kRaces; ++i) {
    status = Write(database, turn);
    if (!absl::IsAborted(status)) break;
  }
  if (!status.ok()) return status;
  return lease;
}

}  // namespace

absl::StatusOr<BootLease> LeaseBoot(Database& database, const std::string& agent,
                                    const std::string& machine, const Picks& picks) {
  return TakeTurn<BootLease>(
      database, agent,
      [&](const AgentNow& now, const Work& work) { return picks.boot(now, machine, work); },
      [&](Transaction& tx, const BootPick& pick, BootLease& lease) -> absl::Status {
        ASSIGN_OR_RETURN(const std::vector<std::string> attempts,
                         GrantBoots(tx, agent, machine, pick));
        for (const std::string& attempt : attempts) {
          ASSIGN_OR_RETURN(lease.orders.emplace_back(), MakeBootOrder(tx, attempt));
        }
        return absl::OkStatus();
      });
}

absl::StatusOr<BuildLease> LeaseBuild(Database& database, const std::string& agent,
                                      const Picks& picks) {
  return TakeTurn<BuildLease>(
      database, agent,
      [&](const AgentNow& now, const Work& work) { return picks.build(now, work); },
      [&](Transaction& tx, const BuildPick& pick, BuildLease& lease) -> absl::Status {
        RETURN_IF_ERROR(GrantBuild(tx, agent, *pick.build_id));
        ASSIGN_OR_RETURN(lease.order, MakeBuildOrder(tx, *pick.build_id));
        return absl::OkStatus();
      });
}

}  // namespace shakedown::store
