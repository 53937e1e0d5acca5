#include "db/store/candidates.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/store/job_blocks.h"
#include "db/store/sql.h"

namespace shakedown::store {
namespace {

// kernels/recipe/resolve.h: modules are an artefact since this version.
constexpr int kFirstRecipeWithModules = 2;
constexpr int kMostJobs = 500;  // The oldest; younger ones wait their turn anyway.

BootState StateOf(const std::string& word) {
  if (word == "waiting") return BootState::kWaiting;
  return word == "running" ? BootState::kRunning : BootState::kQueued;
}

void ReadBlocks(Transaction& tx, const std::string& agent, Work& work) {
  const pqxx::result rows = tx.exec_params(
      "WITH active AS (SELECT id, machine_names, machine_tags, " SHAKEDOWN_TIME_LEFT
      " AS time_left FROM jobs "
      "  WHERE state = 'active' AND NOT cancel_requested ORDER BY id LIMIT $2), "
      "chosen AS ("
      "  SELECT k.job, k.block, k.machine FROM active j JOIN blocks k ON k.job = j.id "
      "  JOIN machines m ON m.name = k.machine WHERE m.agent = $1 "
      "  UNION ALL "
      "  SELECT j.id, k.block, NULL FROM active j CROSS JOIN LATERAL ("
      "    (SELECT k.block FROM blocks k WHERE k.job = j.id AND k.machine IS NULL "
      "      AND EXISTS (SELECT FROM boots o WHERE (o.job, o.block) = (k.job, k.block) AND o.state "
      "= 'queued') "
      "      AND NOT EXISTS (SELECT FROM boots o WHERE (o.job, o.block) = (k.job, k.block) AND "
      "o.state = 'waiting') "
      "      ORDER BY k.block LIMIT 1) UNION ALL "
      "    (SELECT k.block FROM blocks k WHERE k.job = j.id AND k.machine IS NULL "
      "      AND EXISTS (SELECT FROM boots o WHERE (o.job, o.block) = (k.job, k.block) AND o.state "
      "= 'waiting') "
      "      ORDER BY k.block LIMIT 1)) k WHERE j.time_left) "
      "SELECT c.job, c.block, coalesce(c.machine, '') AS machine, j.machine_names, j.machine_tags, "
      "NOT EXISTS (SELECT FROM variants v JOIN builds b ON b.id = v.build WHERE v.job = c.job "
      "AND b.recipe < $3) AS modules_kept, "
      "o.attempt_id, o.position, o.state FROM chosen c JOIN active j ON j.id = c.job "
      "JOIN boots o ON o.job = c.job AND o.block = c.block AND o.state <> 'ended' "
      "ORDER BY c.job, c.block, o.position",
      agent, kMostJobs, kFirstRecipeWithModules);
  std::map<std::pair<int64_t, uint32_t>, size_t> places;
  for (const pqxx::row& row : rows) {
    const auto key = std::make_pair(row["job"].as<int64_t>(), row["block"].as<uint32_t>());
    const auto [place, added] = places.try_emplace(key, work.blocks.size());
    if (added) {
      work.blocks.push_back({key.first,
                             key.second,
                             row["machine"].as<std::string>(),
                             ReadTextArray(row["machine_names"]),
                             ReadTextArray(row["machine_tags"]),
                             {},
                             row["modules_kept"].as<bool>()});
    }
    work.blocks[place->second].boots.push_back({row["attempt_id"].as<std::string>(),
                                                row["position"].as<int>(),
                                                StateOf(row["state"].as<std::string>())});
  }
}

void ReadBuilds(Transaction& tx, Work& work) {
  const pqxx::result rows = tx.exec(
      "SELECT b.id, min(j.id) AS job FROM builds b JOIN variants v ON v.build = b.id "
      "JOIN jobs j ON j.id = v.job WHERE b.state = 'queued' AND j.state = 'active' "
      "AND NOT j.cancel_requested GROUP BY b.id");
  for (const pqxx::row& row : rows) {
    work.builds.push_back({row[0].as<std::string>(), row[1].as<int64_t>()});
  }
}

}  // namespace

AgentNow ReadAgentNow(Transaction& tx, const std::string& agent) {
  AgentNow now;
  const pqxx::result machines = tx.exec_params(
      "SELECT m.name, m.tags, m.attempt_id IS NOT NULL OR p.attempt_id IS NOT NULL AS leased, "
      "CASE WHEN NOT m.present THEN 'its agent no longer offers it' "
      "WHEN p.problem = '' AND m.held_by IS NOT NULL THEN 'it is held by ' || m.held_by "
      "ELSE p.problem END AS problem, m.takes_blocks "
      "FROM machines m JOIN machine_pulse p ON p.machine = m.name WHERE m.agent = $1 ORDER BY "
      "m.name",
      agent);
  for (const pqxx::row& row : machines) {
    now.machines.push_back({row["name"].as<std::string>(), ReadTextArray(row["tags"]),
                            row["leased"].as<bool>(), row["problem"].as<std::string>(),
                            row["takes_blocks"].as<bool>()});
  }
  const pqxx::row slots = tx.exec_params1(
      "SELECT (SELECT count(*) FROM (SELECT id FROM builds WHERE agent = $1 AND state = 'running' "
      "UNION SELECT build FROM slot_pulse WHERE agent = $1 AND build IS NOT NULL) u) AS running, "
      "(SELECT count(*) FROM slot_pulse WHERE agent = $1 AND problem = '') AS slots",
      agent);
  now.builds_running = slots["running"].as<int>();
  now.slots = slots["slots"].as<int>();
  return now;
}

Work ReadWork(Transaction& tx, const std::string& agent) {
  Work work;
  ReadBlocks(tx, agent, work);
  ReadBuilds(tx, work);
  return work;
}

}  // namespace shakedown::store
