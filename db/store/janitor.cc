#include "db/store/janitor.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/job_blocks.h"
#include "db/store/power.h"
#include "db/store/settle.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// Rows whose lease has outlived its order, with why.
struct Overdue {
  std::string id, reason;
  int64_t epoch = 0;
};

std::string Reason(const pqxx::row& row) {
  const std::string limit =
      absl::StrCat("not ended within its limits of ", row["limit_s"].as<int64_t>(), " s");
  if (!row["silent"].as<bool>(true))
    return absl::StrCat(limit, " by agent ", row["agent"].as<std::string>());
  return absl::StrCat("agent ", row["agent"].as<std::string>(), " silent for ",
                      row["age"].as<int64_t>(0), " s, ", limit);
}

std::vector<Overdue> Read(const pqxx::result& rows) {
  std::vector<Overdue> overdue;
  for (const pqxx::row& row : rows) {
    overdue.push_back({row["id"].as<std::string>(), Reason(row), row["epoch"].as<int64_t>()});
  }
  return overdue;
}

struct Findings {
  std::vector<Overdue> boots, builds;
  std::vector<int64_t> orphans;  // Jobs.
  int unbound = 0;
  int power_cycles = 0;
};

#define SHAKEDOWN_SILENCE                                        \
  "p.quiet_until + $2 * interval '1 second' < now() AS silent, " \
  "extract(epoch FROM now() - p.seen_at)::bigint AS age "

void FindOverdue(Transaction& tx, const JanitorLimits& limits, Findings& findings) {
  const int64_t slack = absl::ToInt64Seconds(limits.slack);
  const int64_t silent = absl::ToInt64Seconds(kSilentLimit);
  findings.boots = Read(tx.exec_params(
      "SELECT o.attempt_id AS id, o.epoch, o.agent, l.limit_s, " SHAKEDOWN_SILENCE
      "FROM boots o JOIN jobs j ON j.id = o.job JOIN machines m ON m.name = o.machine "
      "LEFT JOIN agent_pulse p ON p.agent = o.agent CROSS JOIN LATERAL "
      "(SELECT (j.boot_limit_s + j.run_limit_s) * CASE WHEN m.takes_blocks THEN (SELECT count(*) "
      "FROM boots b WHERE b.job = o.job AND b.block = o.block AND b.epoch = o.epoch) ELSE 1 END "
      "AS limit_s) l WHERE o.state = 'running' AND "
      "o.leased_at + (l.limit_s + $1) * interval '1 second' < now() AND (NOT m.takes_blocks OR "
      "greatest(o.leased_at + l.limit_s * interval '1 second', "
      "CASE WHEN p.quiet_until + $2 * interval '1 second' < now() THEN p.quiet_until END) + "
      "CASE WHEN o.cancel_requested THEN $1 ELSE $3 END * interval '1 second' < now()) "
      "ORDER BY o.machine, o.position, 1",
      slack, silent, absl::ToInt64Seconds(limits.away)));
  findings.builds =
      Read(tx.exec_params("SELECT b.id, b.epoch, b.agent, b.limit_s, " SHAKEDOWN_SILENCE
                          "FROM builds b LEFT JOIN agent_pulse p ON p.agent = b.agent "
                          "WHERE b.state = 'running' AND b.leased_at + (b.limit_s + $1) * interval "
                          "'1 second' < now() ORDER BY 1",
                          slack, silent));
}

// A machine `m` is drained, and a job `j` lets another one that is there have its blocks.
#define SHAKEDOWN_DRAINED                                                               \
  "(m.drained AND EXISTS (SELECT FROM machines n WHERE n.name <> m.name AND n.present " \
  "AND n.held_by IS NULL AND j.machine_tags <@ n.tags "                                 \
  "AND (cardinality(j.machine_names) = 0 OR n.name = ANY (j.machine_names))))"

// Blocks that nothing was measured in and whose machine's agent is silent or no longer offers it,
// or whose machine is drained: any machine may have them.
int Unbind(Transaction& tx, const JanitorLimits& limits) {
  const pqxx::result unbound = tx.exec_params(
      "UPDATE blocks k SET machine = NULL FROM machines m, agent_pulse p, jobs j "
      "WHERE m.name = k.machine AND p.agent = m.agent AND j.id = k.job AND j.state = 'active' "
      "AND m.attempt_id IS NULL "
      "AND (NOT m.present OR " SHAKEDOWN_DRAINED
      " OR p.quiet_until + $1 * interval '1 second' < now()) "
      "AND EXISTS (SELECT FROM boots o WHERE o.job = k.job AND o.block = k.block AND o.state = "
      "'queued') "
      "AND NOT EXISTS (SELECT FROM boots o WHERE o.job = k.job AND o.block = k.block "
      "AND (o.state = 'running' OR (o.state = 'ended' AND o.outcome NOT IN "
      "('farm_failed', 'disturbed', 'build_failed', 'cancelled'))))",
      absl::ToInt64Seconds(limits.unbind));
  return static_cast<int>(unbound.affected_rows());
}

// Of blocks with a part done whose machine is gone for good or drained, jobs that still wait for
// the rest.
#define SHAKEDOWN_ORPHANED                                                                       \
  "FROM blocks k JOIN machines m ON m.name = k.machine JOIN agent_pulse p ON p.agent = m.agent " \
  "JOIN jobs j ON j.id = k.job WHERE j.state = 'active' AND m.attempt_id IS NULL "               \
  "AND (NOT m.present OR " SHAKEDOWN_DRAINED                                                     \
  " OR p.quiet_until + $1 * interval '1 second' "                                                \
  "< now() "                                                                                     \
  "OR (p.quiet_until + $2 * interval '1 second' < now() AND NOT " SHAKEDOWN_TIME_LEFT            \
  ")) "                                                                                          \
  "AND NOT EXISTS (SELECT FROM boots r WHERE r.job = k.job AND r.block = k.block "               \
  "AND r.state = 'running') "

std::vector<int64_t> FindOrphans(Transaction& tx, const JanitorLimits& limits) {
  const pqxx::result rows =
      tx.exec_params("SELECT DISTINCT k.job " SHAKEDOWN_ORPHANED
                     "AND EXISTS (SELECT FROM boots q WHERE q.job = k.job AND q.block = k.block "
                     "AND q.state = 'queued') ORDER BY 1",
                     absl::ToInt64Seconds(limits.orphan), absl::ToInt64Seconds(limits.unbind));
  std::vector<int64_t> jobs;
  for (const pqxx::row& row : rows) jobs.push_back(row[0].as<int64_t>());
  return jobs;
}

void EndOrphans(Transaction& tx, const JanitorLimits& limits, int64_t job, int& count) {
  tx.exec_params("SELECT FROM jobs WHERE id = $1 FOR NO KEY UPDATE", job);
  const pqxx::result ended = tx.exec_params(
      "UPDATE boots o SET state = 'ended', outcome = 'farm_failed', ended_at = now(), "
      "reason = 'its machine ' || b.machine || CASE WHEN b.drained THEN ' was drained' ELSE "
      "' went away' END || ' in the middle of the block' "
      "FROM (SELECT k.job, k.block, k.machine, m.drained " SHAKEDOWN_ORPHANED
      "AND k.job = $3) AS b "
      "WHERE o.job = b.job AND o.block = b.block AND o.state = 'queued' RETURNING o.block",
      absl::ToInt64Seconds(limits.orphan), absl::ToInt64Seconds(limits.unbind), job);
  std::set<int> blocks;
  for (const pqxx::row& row : ended) blocks.insert(row[0].as<int>());
  count += static_cast<int>(blocks.size());
  if (!blocks.empty()) SettleJob(tx, job);
}

absl::Status GiveUpBoot(Transaction& tx, const Overdue& overdue, int& count) {
  ASSIGN_OR_RETURN(const LockedBoot boot, LockBoot(tx, overdue.id));
  if (boot.state != "running" || boot.epoch != overdue.epoch) return absl::OkStatus();
  ++count;
  return EndBoot(tx, overdue.id, boot, "farm_failed", overdue.reason);
}

absl::Status GiveUpBuild(Transaction& tx, const Overdue& overdue, int& count) {
  const pqxx::result row = tx.exec_params(
      "SELECT FROM builds WHERE id = $1 AND state = 'running' AND epoch = $2 FOR NO KEY UPDATE",
      overdue.id, overdue.epoch);
  if (row.empty()) return absl::OkStatus();
  ++count;
  EndBuildAttempt(tx, overdue.id, overdue.reason, "");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JanitorReport> RunJanitor(Database& database, const JanitorLimits& limits) {
  Findings findings;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    findings = Findings();
    if (!tx.exec1("SELECT pg_try_advisory_xact_lock(hashtext('shakedown janitor'))")[0]
             .as<bool>()) {
      return absl::OkStatus();
    }
    FindOverdue(tx, limits, findings);
    findings.unbound = Unbind(tx, limits);
    findings.orphans = FindOrphans(tx, limits);
    findings.power_cycles =
        OrderPowerOfLost(tx, {limits.power_wait, limits.power_again, limits.power_cycles});
    if (findings.unbound + findings.power_cycles > 0) Notify(tx);
    return absl::OkStatus();
  }));
  JanitorReport report;
  report.blocks_unbound = findings.unbound;
  report.power_cycles = findings.power_cycles;
  // Each in its own transaction, tested by (id, state, epoch) again: another controller may have
  // done it.
  for (const Overdue& boot : findings.boots) {
    int count = 0;
    RETURN_IF_ERROR(
        Write(database, [&](Transaction& tx) { return GiveUpBoot(tx, boot, count = 0); }));
    report.boots_given_up += count;
  }
  for (const Overdue& build : findings.builds) {
    int count = 0;
    RETURN_IF_ERROR(
        Write(database, [&](Transaction& tx) { return GiveUpBuild(tx, build, count = 0); }));
    report.builds_given_up += count;
  }
  for (const int64_t job : findings.orphans) {
    int count = 0;
    RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
      EndOrphans(tx, limits, job, count = 0);
      Notify(tx);
      return absl::OkStatus();
    }));
    report.blocks_orphaned += count;
  }
  return report;
}

}  // namespace shakedown::store
