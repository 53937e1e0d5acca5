// Gives work to agents. Sync() does it all; these are its two halves. What is picked is decided by
// the caller's Picks; here it is locked, tested by (id, state, epoch) and granted.
#ifndef SHAKEDOWN_DB_STORE_LEASES_H_
#define SHAKEDOWN_DB_STORE_LEASES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/work.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {

struct BootLease {
  std::vector<v1::BootOrder>
      orders;               // One; of a machine that takes blocks all that is left of one.
  std::string idle_reason;  // Why there is none, in words.
};
struct BuildLease {
  std::optional<v1::BuildOrder> order;
  std::string idle_reason;
};

// Leases the next boot for a machine that holds no lease; its epoch grows by one in the same
// transaction. A machine that takes blocks gets the rest of the boot's block with it, all under
// that epoch. NotFound: the agent has never shown such a machine.
absl::StatusOr<BootLease> LeaseBoot(Database& database, const std::string& agent,
                                    const std::string& machine, const Picks& picks);

// Leases the next build; its epoch grows by one. No order while every usable slot is busy.
absl::StatusOr<BuildLease> LeaseBuild(Database& database, const std::string& agent,
                                      const Picks& picks);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_LEASES_H_
