#include "db/store/power.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kMostSwitches = 64, kMostAnswers = 64;
constexpr size_t kMostError = 500;
// An order that reached nobody in time is not done later, when nobody expects it any more.
constexpr absl::Duration kUntold = absl::Minutes(15);
// Told and never answered: the agent forgot it or is gone.
constexpr absl::Duration kUnanswered = absl::Hours(1);

void KeepSwitches(Transaction& tx, const v1::SyncRequest& request) {
  const std::string machines = TextArray(request.powers());
  tx.exec_params("DELETE FROM power_switches WHERE agent = $1 AND machine <> ALL ($2::text[])",
                 request.agent(), machines);
  tx.exec_params(
      "INSERT INTO power_switches (agent, machine) SELECT DISTINCT $1, m FROM unnest($2::text[]) m "
      "ON CONFLICT DO NOTHING",
      request.agent(), machines);
}

void KeepAnswers(Transaction& tx, const v1::SyncRequest& request) {
  for (const v1::PowerDone& done : request.power_done()) {
    tx.exec_params(
        "UPDATE power_orders SET state = CASE WHEN $3 = '' THEN 'done' ELSE 'failed' END, "
        "error = $3, ended_at = now() WHERE id = $1 AND agent = $2 AND state = 'open'",
        done.id(), request.agent(), Text(done.error().substr(0, kMostError)));
  }
}

// Of one agent, or (empty) of all: one may be gone for good.
void Withdraw(Transaction& tx, const std::string& agent) {
  tx.exec_params(
      "UPDATE power_orders w SET state = 'withdrawn', ended_at = now() "
      "WHERE ($1 = '' OR w.agent = $1) AND w.state = 'open' AND w.given_at IS NULL "
      "AND (w.ordered_at + $2 * interval '1 second' < now() OR (w.ordered_by IS NULL AND EXISTS "
      "(SELECT FROM machines m JOIN agent_pulse p ON p.agent = m.agent "
      "WHERE m.name = w.machine AND p.seen_at > w.ordered_at)))",
      agent, absl::ToInt64Seconds(kUntold));
  tx.exec_params(
      "UPDATE power_orders SET state = 'failed', ended_at = now(), "
      "error = 'its agent never said what became of it' "
      "WHERE ($1 = '' OR agent = $1) AND state = 'open' AND given_at + $2 * interval '1 second' < "
      "now()",
      agent, absl::ToInt64Seconds(kUnanswered));
}

#define SHAKEDOWN_ONLINE_SWITCH                                          \
  "SELECT min(s.agent) FROM power_switches s JOIN agent_pulse a ON "     \
  "a.agent = s.agent WHERE s.machine = m.name AND a.quiet_until + $1 * " \
  "interval '1 second' >= now()"

}  // namespace

absl::Status CheckPower(const v1::SyncRequest& request) {
  if (request.powers_size() > kMostSwitches || request.power_done_size() > kMostAnswers) {
    return absl::InvalidArgumentError(
        absl::StrCat("agent ", request.agent(), ": ", request.powers_size(), " power switches and ",
                     request.power_done_size(), " answers; at most ", kMostSwitches, " and ",
                     kMostAnswers, " are wanted"));
  }
  for (const std::string& machine : request.powers()) {
    RETURN_IF_ERROR(CheckName("power of machine", machine));
  }
  return absl::OkStatus();
}

bool SyncPower(Transaction& tx, const v1::SyncRequest& request, v1::SyncResponse& response) {
  KeepSwitches(tx, request);
  KeepAnswers(tx, request);
  if (tx.exec_params("SELECT FROM power_orders WHERE agent = $1 AND state = 'open'",
                     request.agent())
          .empty()) {
    return false;
  }
  Withdraw(tx, request.agent());
  const pqxx::result told = tx.exec_params(
      "UPDATE power_orders SET given_at = now() WHERE agent = $1 AND state = 'open' AND given_at "
      "IS "
      "NULL",
      request.agent());
  const pqxx::result open = tx.exec_params(
      "SELECT id, machine FROM power_orders WHERE agent = $1 AND state = 'open' ORDER BY id",
      request.agent());
  for (const pqxx::row& row : open) {
    v1::PowerOrder& order = *response.add_power_orders();
    order.set_id(row[0].as<int64_t>());
    order.set_machine(row[1].as<std::string>());
  }
  return told.affected_rows() > 0;
}

absl::StatusOr<int64_t> OrderPower(Transaction& tx, const std::string& machine,
                                   const std::string& by, const std::string& reason) {
  const pqxx::result row = tx.exec_params("SELECT (" SHAKEDOWN_ONLINE_SWITCH
                                          ") AS agent FROM machines m WHERE m.name = $2",
                                          absl::ToInt64Seconds(kSilentLimit), Text(machine));
  if (row.empty()) {
    return absl::NotFoundError(absl::StrCat("machine ", Quoted(machine), ": was never here"));
  }
  if (row[0][0].is_null()) {
    return absl::FailedPreconditionError(
        absl::StrCat("machine ", machine,
                     ": no agent that is online can switch its power; one that can is started with "
                     "--power 'machine=",
                     machine, " …'"));
  }
  const pqxx::result made = tx.exec_params(
      "INSERT INTO power_orders (machine, agent, ordered_by, reason) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (machine) WHERE state = 'open' DO NOTHING RETURNING id",
      machine, row[0][0].as<std::string>(), Text(by), Text(reason));
  if (!made.empty()) return made[0][0].as<int64_t>();
  const pqxx::result own = tx.exec_params(
      "SELECT id FROM power_orders WHERE machine = $1 AND state = 'open' AND ordered_by = $2",
      machine, Text(by));
  if (!own.empty()) return own[0][0].as<int64_t>();
  return absl::FailedPreconditionError(
      absl::StrCat("machine ", machine, ": its power is being cycled already"));
}

int OrderPowerOfLost(Transaction& tx, const LostPowerLimits& limits) {
  Withdraw(tx, "");
  const pqxx::result made = tx.exec_params(
      "INSERT INTO power_orders (machine, agent, reason) "
      "SELECT m.name, (" SHAKEDOWN_ONLINE_SWITCH
      "), 'it did not come back' FROM machines m "
      "JOIN machine_pulse p ON p.machine = m.name JOIN agent_pulse own ON own.agent = m.agent "
      "WHERE m.present AND m.held_by IS NULL AND p.hands <> '' AND p.dark_until IS NOT NULL "
      "AND own.quiet_until + ($1 + $2) * interval '1 second' < now() "
      "AND EXISTS (" SHAKEDOWN_ONLINE_SWITCH
      " HAVING count(*) > 0) "
      "AND NOT EXISTS (SELECT FROM power_orders w WHERE w.machine = m.name "
      "AND (w.state = 'open' OR w.ordered_at + $3 * interval '1 second' > now())) "
      "AND (SELECT count(*) FROM power_orders w WHERE w.machine = m.name AND w.ordered_by IS NULL "
      "AND w.state <> 'withdrawn' AND w.ordered_at > now() - interval '24 hours') < $4 "
      "ON CONFLICT DO NOTHING",
      absl::ToInt64Seconds(kSilentLimit), absl::ToInt64Seconds(limits.wait),
      absl::ToInt64Seconds(limits.again), limits.cycles);
  return static_cast<int>(made.affected_rows());
}

}  // namespace shakedown::store
