// ListAgents and ListMachines: how they are now, in words.
#include <map>

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

std::string Ago(int64_t seconds) {
  if (seconds < 120) return absl::StrCat(seconds, " s ago");
  if (seconds < 7200) return absl::StrCat(seconds / 60, " min ago");
  if (seconds < 172800) return absl::StrCat(seconds / 3600, " h ago");
  return absl::StrCat(seconds / 86400, " days ago");
}

std::string BootName(const pqxx::row& row) {
  return FormatBootName({row["job"].as<int64_t>(), row["block"].as<uint32_t>(),
                         row["variant"].as<uint32_t>(), row["attempt"].as<uint32_t>()});
}

// "away until 14:02 UTC: reboots into 6.12.9 for 17.3B"; empty: it is not, or it is only quiet and
// its phase says more.
std::string Away(const pqxx::row& row) {
  const auto reason = row["dark_reason"].as<std::string>();
  if (row["dark_until"].is_null() || reason.empty()) return "";
  return absl::StrCat("away until ", row["dark_clock"].as<std::string>(), ": ", reason);
}

// Of a machine that said what it is away for and what to press when it does not come back.
bool NeedsHands(const pqxx::row& row) {
  return row["silent"].as<bool>() && !row["dark_until"].is_null() &&
         !row["hands"].as<std::string>().empty();
}

std::string Joined(const std::string& a, absl::string_view between, const std::string& b) {
  return absl::StrCat(a, a.empty() || b.empty() ? "" : between, b);
}

void SetBusy(const pqxx::row& row, v1::MachineView& view) {
  const bool silent = row["silent"].as<bool>();
  const std::string away = Away(row);
  view.set_boot(BootName(row));
  const std::string boots = absl::StrCat("boots ", view.boot());
  view.set_state(silent ? "unknown" : "running");
  view.set_detail(silent
                      ? absl::StrCat(boots, ", last seen ", Ago(row["age"].as<int64_t>()))
                      : Joined(boots, ": ", away.empty() ? row["phase"].as<std::string>() : away));
  view.set_progress(row["progress"].as<float>());
}

void SetState(const pqxx::row& row, v1::MachineView& view) {
  const bool silent = row["silent"].as<bool>();
  const auto phase = row["phase"].as<std::string>();
  const std::string last = absl::StrCat("last seen ", Ago(row["age"].as<int64_t>()));
  if (!row["job"].is_null()) SetBusy(row, view);
  if (NeedsHands(row)) {
    view.set_state("needs_hands");
    view.set_hands(row["hands"].as<std::string>());
    const std::string away = Away(row);
    const std::string was = absl::StrCat(away.empty() ? "" : "was ", away, away.empty() ? "" : ", ",
                                         last, "; to do: ", view.hands());
    view.set_detail(Joined(view.boot().empty() ? "" : "boots " + view.boot(), ", ", was));
  } else if (!row["job"].is_null()) {
    return;
  } else if (silent || !row["present"].as<bool>()) {
    view.set_state("offline");
    view.set_detail(silent ? last : "its agent no longer offers it");
  } else if (!row["problem"].as<std::string>().empty()) {
    view.set_state("problem");
    view.set_detail(row["problem"].as<std::string>());
  } else if (row["in_hand"].as<bool>()) {
    view.set_state("running");
    view.set_detail(phase.empty() ? "ends what it has in hand" : phase);
  } else {
    view.set_state(row["held_by"].is_null() ? "idle" : "held");
    view.set_detail(Away(row));
  }
}

void AddHold(const pqxx::row& row, v1::MachineView& view) {
  if (row["held_by"].is_null()) return;
  view.set_held_by(row["held_by"].as<std::string>());
  view.set_held_reason(row["held_reason"].as<std::string>());
  view.set_detail(Joined(view.detail(), "; ",
                         absl::StrCat(row["drained"].as<bool>() ? "drained by " : "held by ",
                                      Joined(view.held_by(), ": ", view.held_reason()))));
}

// The latest order, while it is of interest.
void AddPower(const pqxx::row& row, v1::MachineView& view) {
  view.set_power(row["power"].as<bool>());
  if (row["power_state"].is_null()) return;
  const auto state = row["power_state"].as<std::string>();
  const auto error = row["power_error"].as<std::string>();
  std::string text = absl::StrCat("power cycle by ", row["power_by"].as<std::string>(), " ",
                                  Ago(row["power_age"].as<int64_t>()), ": ",
                                  state == "open" ? "under way" : state);
  view.set_detail(Joined(view.detail(), "; ", Joined(text, ": ", error)));
}

// Its newest A/A control, when A was not like A.
void AddMark(const pqxx::row& row, v1::MachineView& view) {
  if (row["failure"].is_null() || row["failure"].as<std::string>().empty()) return;
  view.set_detail(
      Joined(view.detail(), "; ",
             absl::StrCat("A/A control failed in job ", row["control_job"].as<int64_t>(), ": ",
                          row["failure"].as<std::string>())));
}

std::vector<v1::MachineView> ReadMachines(Transaction& tx) {
  std::vector<v1::MachineView> machines;
  std::map<std::string, size_t> places;
  const pqxx::result rows = tx.exec_params(
      "SELECT m.name, m.agent, m.tags, m.epoch, m.present, p.phase, p.progress, p.problem, "
      "p.attempt_id IS NOT NULL AS in_hand, o.job, o.block, o.variant, o.attempt, "
      "a.quiet_until + $1 * interval '1 second' < now() AS silent, "
      "extract(epoch FROM now() - a.seen_at)::bigint AS age, c.job AS control_job, c.failure, "
      SHAKEDOWN_MICROS("p.dark_until") " AS dark_until, "
      "to_char(p.dark_until AT TIME ZONE 'UTC', 'HH24:MI \"UTC\"') AS dark_clock, "
      "p.dark_reason, p.hands, m.held_by, m.held_reason, m.drained, "
      "EXISTS (SELECT FROM power_switches s WHERE s.machine = m.name) AS power, "
      "w.state AS power_state, w.error AS power_error, coalesce(w.ordered_by, 'the farm') AS "
      "power_by, extract(epoch FROM now() - w.ordered_at)::bigint AS power_age "
      "FROM machines m JOIN machine_pulse p ON p.machine = m.name JOIN agent_pulse a ON a.agent = "
      "m.agent "
      "LEFT JOIN boots o ON o.attempt_id = m.attempt_id "
      "LEFT JOIN LATERAL (SELECT * FROM power_orders WHERE machine = m.name AND state <> 'withdrawn' "
      "AND ordered_at > now() - interval '1 day' ORDER BY id DESC LIMIT 1) w ON true "
      "LEFT JOIN LATERAL (SELECT job, failure FROM controls WHERE machine = m.name ORDER BY job "
      "DESC LIMIT 1) c ON true ORDER BY m.name",
      absl::ToInt64Seconds(kSilentLimit));
  for (const pqxx::row& row : rows) {
    v1::MachineView& view = machines.emplace_back();
    view.set_name(row["name"].as<std::string>());
    view.set_agent(row["agent"].as<std::string>());
    for (const std::string& tag : ReadTextArray(row["tags"])) view.add_tags(tag);
    view.set_epoch(row["epoch"].as<int64_t>());
    if (!row["dark_until"].is_null()) *view.mutable_dark_until() = ReadTime(row["dark_until"]);
    SetState(row, view);
    AddHold(row, view);
    AddPower(row, view);
    AddMark(row, view);
    places[view.name()] = machines.size() - 1;
  }
  for (const pqxx::row& row : tx.exec("SELECT name, f.key, f.value FROM machines CROSS JOIN "
                                      "LATERAL jsonb_each_text(facts) f")) {
    const auto place = places.find(row[0].as<std::string>());
    if (place == places.end()) continue;
    (*machines[place->second].mutable_facts())[row[1].as<std::string>()] = row[2].as<std::string>();
  }
  return machines;
}

void ReadSlots(Transaction& tx, std::map<std::string, v1::AgentView>& agents) {
  const pqxx::result rows = tx.exec(
      "SELECT s.agent, coalesce(b.kernel, '') AS kernel, s.phase, s.progress, s.problem "
      "FROM slot_pulse s LEFT JOIN builds b ON b.id = s.build ORDER BY s.agent, s.slot");
  for (const pqxx::row& row : rows) {
    v1::SlotView& slot = *agents[row["agent"].as<std::string>()].add_build_slots();
    slot.set_build(row["kernel"].as<std::string>());
    slot.set_phase(row["phase"].as<std::string>());
    slot.set_progress(row["progress"].as<float>());
    slot.set_problem(row["problem"].as<std::string>());
  }
}

}  // namespace

absl::StatusOr<std::vector<v1::MachineView>> ListMachines(Database& database) {
  std::vector<v1::MachineView> machines;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    machines = ReadMachines(tx);
    return absl::OkStatus();
  }));
  return machines;
}

absl::StatusOr<std::vector<v1::AgentView>> ListAgents(Database& database) {
  std::map<std::string, v1::AgentView> agents;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    agents.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT a.name, a.version, " SHAKEDOWN_MICROS("p.seen_at") " AS seen, "
        "p.quiet_until + $1 * interval '1 second' >= now() AS online "
        "FROM agents a JOIN agent_pulse p ON p.agent = a.name",
        absl::ToInt64Seconds(kSilentLimit));
    for (const pqxx::row& row : rows) {
      v1::AgentView& agent = agents[row["name"].as<std::string>()];
      agent.set_name(row["name"].as<std::string>());
      agent.set_version(row["version"].as<std::string>());
      *agent.mutable_last_seen() = ReadTime(row["seen"]);
      agent.set_online(row["online"].as<bool>());
    }
    for (const v1::MachineView& machine : ReadMachines(tx)) {
      *agents[machine.agent()].add_machines() = machine;
    }
    ReadSlots(tx, agents);
    return absl::OkStatus();
  }));
  std::vector<v1::AgentView> list;
  for (auto& [name, agent] : agents) list.push_back(std::move(agent));
  return list;
}

}  // namespace shakedown::store
