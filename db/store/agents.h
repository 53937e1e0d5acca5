// Agents and machines: one round of Sync, and how they are now.
#ifndef SHAKEDOWN_DB_STORE_AGENTS_H_
#define SHAKEDOWN_DB_STORE_AGENTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/database.h"
#include "db/store/work.h"
#include "shakedown/v1/agent.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// An agent that was not heard for this long (past a declared dark time) is offline.
inline constexpr absl::Duration kSilentLimit = absl::Seconds(90);

// One whole round of Sync, without waiting: records what the agent says, ends what it has lost, and
// leases what `picks` gives it. A long poll calls it again with the same request until `news` is
// true: a boot, a build, a cancel, or a power order that was never told before (those under way are
// repeated in each answer); call_again_ms is left 0. `request.agent` has been compared
// with the token already.
//
// An order that is leased but not in the agent's hands (the answer got lost) is given again,
// unchanged. After a restart of the agent (incarnation grew) such an attempt ends as farm_failed
// "agent restarted" at once. So an agent shows work as in hand until its result is acknowledged. A
// machine that takes blocks shows all it has (attempt_id and queued): what it does not show of its
// block is looked at when it has nothing left.
// FailedPrecondition: the incarnation is older than one seen already, or a machine of that name
// belongs to another agent that is alive. InvalidArgument: a malformed name or field.
absl::StatusOr<v1::SyncResponse> Sync(Database& database, const v1::SyncRequest& request,
                                      const Picks& picks, bool* news = nullptr);

absl::StatusOr<std::vector<v1::AgentView>> ListAgents(Database& database);
absl::StatusOr<std::vector<v1::MachineView>> ListMachines(Database& database);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_AGENTS_H_
