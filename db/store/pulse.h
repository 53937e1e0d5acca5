// The first half of Sync: what an agent says of itself, written in a few statements. Used by
// agents.cc.
#ifndef SHAKEDOWN_DB_STORE_PULSE_H_
#define SHAKEDOWN_DB_STORE_PULSE_H_

#include "absl/status/status.h"
#include "db/store/pool.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::store {

// InvalidArgument: a malformed name or id, or more machines or slots than an agent may have.
absl::Status CheckSync(const v1::SyncRequest& request);

// FailedPrecondition as Sync() says.
absl::Status WritePulse(Transaction& tx, const v1::SyncRequest& request);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_PULSE_H_
