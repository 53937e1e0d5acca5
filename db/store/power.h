// Power that one agent switches for another machine: orders, done once. Used by agents, janitor and
// machines.
#ifndef SHAKEDOWN_DB_STORE_POWER_H_
#define SHAKEDOWN_DB_STORE_POWER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/pool.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::store {

// InvalidArgument: a malformed name, or more switches or answers than an agent may have.
absl::Status CheckPower(const v1::SyncRequest& request);

// Keeps what the agent can switch and what it has done, and adds its open orders to the answer.
// True when one of them is told for the first time. An order that was never told for a quarter of
// an hour, or whose machine came back by itself before the farm's own order was told, is withdrawn.
bool SyncPower(Transaction& tx, const v1::SyncRequest& request, v1::SyncResponse& response);

// An order to an agent that is online and can; its id. The same person's open one is that order.
// FailedPrecondition: none can, or somebody else's is open. NotFound: no such machine.
absl::StatusOr<int64_t> OrderPower(Transaction& tx, const std::string& machine,
                                   const std::string& by, const std::string& reason);

// The farm's own orders for machines that need hands and are not held: how many were made. Ends
// those of agents that are gone before.
struct LostPowerLimits {
  absl::Duration wait;   // Past the dark time and its grace.
  absl::Duration again;  // Since the order before, whoever gave it.
  int cycles = 0;        // In 24 hours.
};
int OrderPowerOfLost(Transaction& tx, const LostPowerLimits& limits);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_POWER_H_
