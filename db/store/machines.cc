#include "db/store/machines.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/power.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kMostReason = 200;

absl::Status NeverHere(const std::string& machine) {
  return absl::NotFoundError(absl::StrCat("machine ", Quoted(machine), ": was never here"));
}

absl::Status Check(const std::string& machine, const Wish& wish) {
  RETURN_IF_ERROR(CheckName("machine", machine));
  if (wish.reason.size() <= kMostReason) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("machine ", machine, ": a reason of ",
                                                 wish.reason.size(), " bytes; at most ",
                                                 kMostReason, " are wanted"));
}

absl::Status Hold(Database& database, const std::string& machine, const Wish& wish, bool drain) {
  RETURN_IF_ERROR(Check(machine, wish));
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result row = tx.exec_params(
        "SELECT held_by, held_reason FROM machines WHERE name = $1 FOR UPDATE", machine);
    if (row.empty()) return NeverHere(machine);
    const auto holder = row[0][0].as<std::string>("");
    const std::string by = Text(wish.by);
    if (!holder.empty() && holder != by) {
      const auto why = row[0][1].as<std::string>();
      return absl::FailedPreconditionError(absl::StrCat("machine ", machine, ": ", holder,
                                                        " holds it", why.empty() ? "" : ": ", why,
                                                        "; release it first"));
    }
    tx.exec_params(
        "UPDATE machines SET held_by = $2, held_reason = $3, held_at = now(), drained = $4 "
        "WHERE name = $1",
        machine, by, Text(wish.reason), drain);
    Notify(tx);
    return absl::OkStatus();
  });
}

}  // namespace

absl::Status HoldMachine(Database& database, const std::string& machine, const Wish& wish) {
  return Hold(database, machine, wish, false);
}

absl::Status DrainMachine(Database& database, const std::string& machine, const Wish& wish) {
  return Hold(database, machine, wish, true);
}

absl::Status ReleaseMachine(Database& database, const std::string& machine) {
  RETURN_IF_ERROR(CheckName("machine", machine));
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result released = tx.exec_params(
        "UPDATE machines SET held_by = NULL, held_reason = '', held_at = NULL, drained = false "
        "WHERE name = $1",
        machine);
    if (released.affected_rows() != 1) return NeverHere(machine);
    Notify(tx);
    return absl::OkStatus();
  });
}

absl::Status CyclePower(Database& database, const std::string& machine, const Wish& wish) {
  RETURN_IF_ERROR(Check(machine, wish));
  return Write(database, [&](Transaction& tx) -> absl::Status {
    RETURN_IF_ERROR(OrderPower(tx, machine, wish.by, wish.reason).status());
    Notify(tx);
    return absl::OkStatus();
  });
}

absl::StatusOr<v1::MachineView> FindMachine(Database& database, const std::string& machine) {
  ASSIGN_OR_RETURN(const std::vector<v1::MachineView> machines, ListMachines(database));
  for (const v1::MachineView& view : machines) {
    if (view.name() == machine) return view;
  }
  return NeverHere(machine);
}

}  // namespace shakedown::store
