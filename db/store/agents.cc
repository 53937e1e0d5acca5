#include "db/store/agents.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/store/leases.h"
#include "db/store/orders.h"
#include "db/store/power.h"
#include "db/store/pulse.h"
#include "db/store/settle.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr char kRestarted[] = "agent restarted";

// Leases that the agent does not show as in hand.
struct Astray {
  std::vector<std::string> boots, builds;  // Granted to an earlier incarnation: lost.
  std::vector<std::string> boot_orders,
      build_orders;  // To this one: the answer got lost, say it again.
};

// Attempts that the machine has: the one in hand and those of its block that come after it.
std::vector<std::string> InHand(const v1::MachineStatus& machine) {
  std::vector<std::string> attempts(machine.queued().begin(), machine.queued().end());
  if (!machine.attempt_id().empty()) attempts.insert(attempts.begin(), machine.attempt_id());
  return attempts;
}

bool IsIdle(const v1::MachineStatus& machine) {
  return machine.problem().empty() && InHand(machine).empty();
}

// Work in hand that is not, or no longer, the agent's. A result that was accepted and whose answer
// got lost is no reason to stop: it will be sent again and be answered.
void FindStops(Transaction& tx, const v1::SyncRequest& request, v1::SyncResponse& response) {
  for (const v1::MachineStatus& machine : request.machines()) {
    const std::vector<std::string> attempts = InHand(machine);
    if (attempts.empty()) continue;
    const pqxx::result gone = tx.exec_params(
        "SELECT h.attempt FROM unnest($1::text[]) WITH ORDINALITY AS h (attempt, ordinal) "
        "WHERE NOT EXISTS (SELECT FROM boots o WHERE o.attempt_id = h.attempt::uuid "
        "AND machine = $2 AND epoch = $3 AND agent = $4 AND "
        "((state = 'running' AND NOT cancel_requested) OR EXISTS "
        "(SELECT FROM boot_results r WHERE r.attempt_id = o.attempt_id))) ORDER BY h.ordinal",
        TextArray(attempts), machine.name(), machine.epoch(), request.agent());
    for (const pqxx::row& row : gone) response.add_cancel(row[0].as<std::string>());
  }
  for (const v1::BuildSlotStatus& slot : request.build_slots()) {
    if (slot.build_id().empty()) continue;
    const pqxx::result row = tx.exec_params(
        "SELECT FROM builds WHERE id = $1 AND epoch = $2 AND agent = $3 "
        "AND (state = 'running' OR (state <> 'cancelled' AND result_sha256 IS NOT NULL))",
        slot.build_id(), slot.epoch(), request.agent());
    if (row.empty()) response.add_cancel(slot.build_id());
  }
}

void FindAstrayBoots(Transaction& tx, const v1::SyncRequest& request, Astray& astray) {
  // A block is lost or given again as a whole: what a machine does not show of the block that it is
  // in has its result on the way, or is looked at when the machine has nothing left.
  std::set<std::string> in_hand, idle, in_block;
  for (const v1::MachineStatus& machine : request.machines()) {
    const std::vector<std::string> attempts = InHand(machine);
    in_hand.insert(attempts.begin(), attempts.end());
    if (IsIdle(machine)) idle.insert(machine.name());
    if (machine.takes_blocks() && !attempts.empty()) in_block.insert(machine.name());
  }
  const pqxx::result rows = tx.exec_params(
      "SELECT attempt_id, machine, incarnation FROM boots WHERE state = 'running' AND agent = $1 "
      "ORDER BY machine, position, attempt_id",
      request.agent());
  for (const pqxx::row& row : rows) {
    const auto attempt = row[0].as<std::string>();
    if (in_hand.count(attempt) > 0 || in_block.count(row[1].as<std::string>()) > 0) continue;
    if (row[2].as<int64_t>() != static_cast<int64_t>(request.incarnation())) {
      astray.boots.push_back(attempt);
    } else if (idle.count(row[1].as<std::string>()) > 0) {
      astray.boot_orders.push_back(attempt);
    }
  }
}

void FindAstrayBuilds(Transaction& tx, const v1::SyncRequest& request, Astray& astray) {
  std::set<std::string> in_hand;
  size_t free = 0;
  for (const v1::BuildSlotStatus& slot : request.build_slots()) {
    if (!slot.build_id().empty()) {
      in_hand.insert(slot.build_id());
    } else if (slot.problem().empty()) {
      ++free;
    }
  }
  const pqxx::result rows = tx.exec_params(
      "SELECT id, incarnation FROM builds WHERE state = 'running' AND agent = $1 ORDER BY id",
      request.agent());
  for (const pqxx::row& row : rows) {
    const auto build = row[0].as<std::string>();
    if (in_hand.count(build) > 0) continue;
    if (row[1].as<int64_t>() != static_cast<int64_t>(request.incarnation())) {
      astray.builds.push_back(build);
    } else if (astray.build_orders.size() < free) {
      astray.build_orders.push_back(build);
    }
  }
}

// Each in its own transaction, for the order of locks.
absl::Status EndLost(Database& database, const v1::SyncRequest& request, const Astray& astray) {
  const auto incarnation = static_cast<int64_t>(request.incarnation());
  for (const std::string& build : astray.builds) {
    RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
      const pqxx::result row = tx.exec_params(
          "SELECT FROM builds WHERE id = $1 AND state = 'running' AND agent = $2 AND incarnation "
          "<> $3 "
          "FOR NO KEY UPDATE",
          build, request.agent(), incarnation);
      if (!row.empty()) EndBuildAttempt(tx, build, kRestarted, "");
      return absl::OkStatus();
    }));
  }
  for (const std::string& attempt : astray.boots) {
    RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
      ASSIGN_OR_RETURN(const LockedBoot boot, LockBoot(tx, attempt));
      if (boot.state != "running" || boot.agent != request.agent()) return absl::OkStatus();
      return EndBoot(tx, attempt, boot, "farm_failed", kRestarted);
    }));
  }
  return absl::OkStatus();
}

absl::Status AgainOrders(Transaction& tx, const Astray& astray, v1::SyncResponse& response) {
  for (const std::string& attempt : astray.boot_orders) {
    ASSIGN_OR_RETURN(*response.add_boots(), MakeBootOrder(tx, attempt));
  }
  for (const std::string& build : astray.build_orders) {
    ASSIGN_OR_RETURN(*response.add_builds(), MakeBuildOrder(tx, build));
  }
  return absl::OkStatus();
}

absl::Status LeaseNew(Database& database, const v1::SyncRequest& request, const Picks& picks,
                      v1::SyncResponse& response) {
  std::set<std::string> served;
  for (const v1::BootOrder& order : response.boots()) served.insert(order.machine());
  for (int i = response.builds_size(); i < request.build_slots_size(); ++i) {
    ASSIGN_OR_RETURN(BuildLease lease, LeaseBuild(database, request.agent(), picks));
    if (!lease.order.has_value()) break;
    *response.add_builds() = *std::move(lease.order);
  }
  for (const v1::MachineStatus& machine : request.machines()) {
    if (!IsIdle(machine) || served.count(machine.name()) > 0) continue;
    ASSIGN_OR_RETURN(BootLease lease, LeaseBoot(database, request.agent(), machine.name(), picks));
    for (v1::BootOrder& order : lease.orders) *response.add_boots() = std::move(order);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::SyncResponse> Sync(Database& database, const v1::SyncRequest& request,
                                      const Picks& picks, bool* news) {
  RETURN_IF_ERROR(CheckSync(request));
  v1::SyncResponse response;
  Astray astray;
  bool new_power = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    response.Clear();
    astray = Astray();
    RETURN_IF_ERROR(WritePulse(tx, request));
    FindStops(tx, request, response);
    FindAstrayBoots(tx, request, astray);
    FindAstrayBuilds(tx, request, astray);
    new_power = SyncPower(tx, request, response);
    return AgainOrders(tx, astray, response);
  }));
  RETURN_IF_ERROR(EndLost(database, request, astray));
  // What was leased before an error of a later lease is not lost: the next Sync says it again.
  RETURN_IF_ERROR(LeaseNew(database, request, picks, response));
  if (news != nullptr) {
    *news = new_power || !response.boots().empty() || !response.builds().empty() ||
            !response.cancel().empty();
  }
  return response;
}

}  // namespace shakedown::store
