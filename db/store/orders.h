// Orders as they are sent, made from rows. Used by leases.cc and agents.cc.
#ifndef SHAKEDOWN_DB_STORE_ORDERS_H_
#define SHAKEDOWN_DB_STORE_ORDERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "db/store/pool.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {

// Of a running attempt: always the same for the same lease, but for signatures that came meanwhile.
absl::StatusOr<v1::BootOrder> MakeBootOrder(Transaction& tx, const std::string& attempt_id);
absl::StatusOr<v1::BuildOrder> MakeBuildOrder(Transaction& tx, const std::string& build_id);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_ORDERS_H_
