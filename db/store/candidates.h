// What is chosen from, read from the tables. Used by leases.cc.
#ifndef SHAKEDOWN_DB_STORE_CANDIDATES_H_
#define SHAKEDOWN_DB_STORE_CANDIDATES_H_

#include <string>

#include "db/store/pool.h"
#include "db/store/work.h"

namespace shakedown::store {

// The agent's host as its latest Sync and its leases say.
AgentNow ReadAgentNow(Transaction& tx, const std::string& agent);

// Of the oldest active jobs: the blocks bound to the agent's machines, of each job's unbound blocks
// the first that can start and the first that waits, and the queued builds.
Work ReadWork(Transaction& tx, const std::string& agent);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_CANDIDATES_H_
