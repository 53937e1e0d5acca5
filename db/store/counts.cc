#include "db/store/counts.h"

#include "db/store/agents.h"
#include "db/store/pool.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

void Count(Transaction& tx, const char* sql, std::map<std::string, int64_t>& counts) {
  for (const pqxx::row& row : tx.exec(sql)) {
    counts[row[0].as<std::string>()] = row[1].as<int64_t>();
  }
}

}  // namespace

absl::StatusOr<FarmCounts> CountFarm(Database& database) {
  FarmCounts counts;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    counts = FarmCounts();
    Count(tx, "SELECT state, count(*) FROM jobs GROUP BY 1", counts.jobs);
    Count(tx, "SELECT coalesce(outcome, state), count(*) FROM boots GROUP BY 1", counts.boots);
    Count(tx, "SELECT state, count(*) FROM builds GROUP BY 1", counts.builds);
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(const auto agents, ListAgents(database));
  for (const v1::AgentView& agent : agents) {
    ++counts.agents;
    if (agent.online()) ++counts.agents_online;
    for (const v1::MachineView& machine : agent.machines()) ++counts.machines[machine.state()];
  }
  return counts;
}

}  // namespace shakedown::store
