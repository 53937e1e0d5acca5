// What people wish of a machine.
#ifndef SHAKEDOWN_DB_STORE_MACHINES_H_
#define SHAKEDOWN_DB_STORE_MACHINES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// For the others who look.
struct Wish {
  std::string by;      // Who.
  std::string reason;  // Why; may be empty, at most 200 bytes.
};

// All: InvalidArgument: a malformed name or a long reason. NotFound: a machine that was never here.

// It gets no more orders; what it has is finished. FailedPrecondition: somebody else holds it.
absl::Status HoldMachine(Database& database, const std::string& machine, const Wish& wish);
// As hold; what is queued for it alone goes to others, where a job allows one that is there: whole
// blocks as they are, begun ones are repeated. The janitor does it, also later.
absl::Status DrainMachine(Database& database, const std::string& machine, const Wish& wish);
// Whoever held it. OK when nobody did.
absl::Status ReleaseMachine(Database& database, const std::string& machine);
// OK when the same person's order is under way. FailedPrecondition: no agent that is online can, or
// somebody else's is under way.
absl::Status CyclePower(Database& database, const std::string& machine, const Wish& wish);

// NotFound.
absl::StatusOr<v1::MachineView> FindMachine(Database& database, const std::string& machine);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_MACHINES_H_
