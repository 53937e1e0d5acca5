#include "db/store/pulse.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "db/store/agents.h"
#include "db/store/power.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kMostMachines = 256, kMostSlots = 64, kMostTags = 64, kMostFacts = 256;
constexpr int kMostQueued = 64;  // More than variants of a job.
constexpr size_t kMostText = 4 << 10;
// Of LiveTelemetry: some more than agents tell.
constexpr int kMostSamples = 256, kMostLines = 32;
constexpr size_t kMostLineName = 96, kMostLineUnit = 16;
constexpr uint32_t kMostDark = 7 * 24 * 3600;

std::string Short(const std::string& text) { return text.substr(0, kMostText); }

double Fraction(float progress) {
  return std::isfinite(progress) ? std::clamp(static_cast<double>(progress), 0.0, 1.0) : 0.0;
}

absl::Status CheckLive(const v1::LiveTelemetry& live) {
  bool good = live.at_ms_size() <= kMostSamples && live.lines_size() <= kMostLines;
  for (const v1::LiveTelemetry::Line& line : live.lines()) {
    good = good && line.values_size() == live.at_ms_size() && line.name().size() <= kMostLineName &&
           line.unit().size() <= kMostLineUnit;
  }
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      live.at_ms_size(), " live samples of ", live.lines_size(), " lines: want at most ",
      kMostSamples, " of ", kMostLines, ", a value of each line in each sample"));
}

absl::Status CheckMachine(const v1::MachineStatus& machine) {
  RETURN_IF_ERROR(CheckName("machine", machine.name()));
  if (machine.tags_size() > kMostTags || machine.facts_size() > kMostFacts) {
    return absl::InvalidArgumentError(absl::StrCat(
        "machine ", machine.name(), ": ", machine.tags_size(), " tags and ", machine.facts_size(),
        " facts; at most ", kMostTags, " and ", kMostFacts, " are wanted"));
  }
  const std::string what = absl::StrCat("machine ", machine.name());
  if (machine.queued_size() > kMostQueued) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", machine.queued_size(),
                                                   " boots are queued; at most ", kMostQueued,
                                                   " are wanted"));
  }
  for (const std::string& attempt : machine.queued()) {
    RETURN_IF_ERROR(Annotate(CheckUuid("attempt", attempt), what));
  }
  RETURN_IF_ERROR(Annotate(CheckLive(machine.live()), what));
  if (machine.attempt_id().empty()) return absl::OkStatus();
  return Annotate(CheckUuid("attempt", machine.attempt_id()), what);
}

// Nothing in hand, but a block before it: its first is the next.
std::string AttemptOf(const v1::MachineStatus& machine) {
  if (machine.attempt_id().empty() && !machine.queued().empty()) return machine.queued(0);
  return machine.attempt_id();
}

absl::Status WriteAgent(Transaction& tx, const v1::SyncRequest& request) {
  const auto incarnation = static_cast<int64_t>(request.incarnation());
  const pqxx::result row = tx.exec_params(
      "INSERT INTO agents (name, version, boot_id, incarnation) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (name) DO UPDATE SET version = excluded.version, boot_id = excluded.boot_id, "
      "incarnation = excluded.incarnation WHERE agents.incarnation <= excluded.incarnation "
      "RETURNING name",
      request.agent(), Text(Short(request.version())), Text(Short(request.boot_id())), incarnation);
  if (row.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("agent ", request.agent(), ": incarnation ", incarnation,
                     " is older than one that was here; another process of this agent runs"));
  }
  uint32_t dark = 0;
  for (const v1::MachineStatus& m : request.machines()) dark = std::max(dark, m.dark_for_s());
  tx.exec_params(
      "INSERT INTO agent_pulse (agent, seen_at, quiet_until) "
      "VALUES ($1, now(), now() + $2 * interval '1 second') ON CONFLICT (agent) DO UPDATE "
      "SET seen_at = excluded.seen_at, quiet_until = excluded.quiet_until",
      request.agent(), static_cast<int64_t>(std::min(dark, kMostDark)));
  return absl::OkStatus();
}

// A machine may move to another agent when it holds no lease and its old agent is silent.
absl::Status CheckOwners(Transaction& tx, const v1::SyncRequest& request,
                         const std::string& names) {
  const pqxx::result taken = tx.exec_params(
      "SELECT m.name, m.agent FROM machines m LEFT JOIN agent_pulse p ON p.agent = m.agent "
      "WHERE m.name = ANY ($1::text[]) AND m.agent <> $2 AND (m.attempt_id IS NOT NULL "
      "OR p.quiet_until + $3 * interval '1 second' > now()) ORDER BY m.name LIMIT 1",
      names, request.agent(), absl::ToInt64Seconds(kSilentLimit));
  if (taken.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("machine ", taken[0][0].as<std::string>(), ": belongs to agent ",
                   taken[0][1].as<std::string>(), ", not ", request.agent(),
                   "; give it another name or stop that agent"));
}

void WriteMachines(Transaction& tx, const v1::SyncRequest& request) {
  for (const v1::MachineStatus& machine : request.machines()) {
    const MapArrays facts = ToArrays(machine.facts());
    tx.exec_params(
        "INSERT INTO machines (name, agent, tags, facts, takes_blocks) "
        "VALUES ($1, $2, $3::text[], jsonb_object($4::text[], $5::text[]), $6) "
        "ON CONFLICT (name) DO UPDATE SET agent = excluded.agent, tags = excluded.tags, "
        "facts = excluded.facts, takes_blocks = excluded.takes_blocks, present = true "
        "WHERE (machines.agent, machines.tags, machines.facts, machines.takes_blocks, "
        "machines.present) IS DISTINCT FROM "
        "(excluded.agent, excluded.tags, excluded.facts, excluded.takes_blocks, true)",
        machine.name(), request.agent(), TextArray(machine.tags()), facts.keys, facts.values,
        machine.takes_blocks());
  }
}

void WriteMachinePulse(Transaction& tx, const v1::SyncRequest& request) {
  std::vector<std::string> names, attempts, phases, problems, reasons, hands;
  std::vector<double> progress;
  std::vector<int64_t> dark;
  for (const v1::MachineStatus& machine : request.machines()) {
    names.push_back(machine.name());
    attempts.push_back(AttemptOf(machine));
    phases.push_back(Short(machine.phase()));
    problems.push_back(Short(machine.problem()));
    progress.push_back(Fraction(machine.progress()));
    dark.push_back(std::min(machine.dark_for_s(), kMostDark));
    reasons.push_back(Short(machine.dark_reason()));
    hands.push_back(Short(machine.hands()));
  }
  tx.exec_params(
      "INSERT INTO machine_pulse (machine, attempt_id, phase, progress, problem, dark_until, "
      "dark_reason, hands) "
      "SELECT m.name, nullif(m.attempt, '')::uuid, m.phase, m.progress, m.problem, "
      "CASE WHEN m.dark > 0 THEN now() + m.dark * interval '1 second' END, m.reason, m.hands "
      "FROM unnest($1::text[], $2::text[], $3::text[], $4::real[], $5::text[], $6::bigint[], "
      "$7::text[], $8::text[]) "
      "AS m (name, attempt, phase, progress, problem, dark, reason, hands) "
      "ON CONFLICT (machine) DO UPDATE "
      "SET attempt_id = excluded.attempt_id, phase = excluded.phase, progress = excluded.progress, "
      "problem = excluded.problem, dark_until = excluded.dark_until, "
      "dark_reason = excluded.dark_reason, hands = excluded.hands",
      TextArray(names), TextArray(attempts), TextArray(phases), DoubleArray(progress),
      TextArray(problems), Int64Array(dark), TextArray(reasons), TextArray(hands));
}

// Who owns the machine was checked before. What an ended load has left stays until the next: it is
// read for its own boot only, while that runs.
void WriteLive(Transaction& tx, const v1::SyncRequest& request) {
  for (const v1::MachineStatus& machine : request.machines()) {
    if (machine.attempt_id().empty()) continue;
    if (!machine.has_live()) {
      tx.exec_params("DELETE FROM machine_live WHERE machine = $1", machine.name());
      continue;
    }
    tx.exec_params(
        "INSERT INTO machine_live (machine, attempt_id, telemetry) VALUES ($1, $2, $3) "
        "ON CONFLICT (machine) DO UPDATE SET attempt_id = excluded.attempt_id, "
        "telemetry = excluded.telemetry",
        machine.name(), machine.attempt_id(), Bytes(Canonical(machine.live())));
  }
}

void WriteSlotPulse(Transaction& tx, const v1::SyncRequest& request) {
  std::vector<std::string> builds, phases, problems;
  std::vector<double> progress;
  for (const v1::BuildSlotStatus& slot : request.build_slots()) {
    builds.push_back(slot.build_id());
    phases.push_back(Short(slot.phase()));
    problems.push_back(Short(slot.problem()));
    progress.push_back(Fraction(slot.progress()));
  }
  tx.exec_params(
      "INSERT INTO slot_pulse (agent, slot, build, phase, progress, problem) "
      "SELECT $1, s.slot, nullif(s.build, '')::uuid, s.phase, s.progress, s.problem "
      "FROM unnest($2::text[], $3::text[], $4::real[], $5::text[]) WITH ORDINALITY "
      "AS s (build, phase, progress, problem, slot) ON CONFLICT (agent, slot) DO UPDATE "
      "SET build = excluded.build, phase = excluded.phase, progress = excluded.progress, "
      "problem = excluded.problem",
      request.agent(), TextArray(builds), TextArray(phases), DoubleArray(progress),
      TextArray(problems));
  tx.exec_params("DELETE FROM slot_pulse WHERE agent = $1 AND slot > $2", request.agent(),
                 request.build_slots_size());
}

}  // namespace

absl::Status CheckSync(const v1::SyncRequest& request) {
  RETURN_IF_ERROR(CheckName("agent", request.agent()));
  if (request.machines_size() > kMostMachines || request.build_slots_size() > kMostSlots) {
    return absl::InvalidArgumentError(
        absl::StrCat("agent ", request.agent(), ": ", request.machines_size(), " machines and ",
                     request.build_slots_size(), " build slots; at most ", kMostMachines, " and ",
                     kMostSlots, " are wanted"));
  }
  std::set<std::string> names;
  for (const v1::MachineStatus& machine : request.machines()) {
    RETURN_IF_ERROR(CheckMachine(machine));
    if (!names.insert(machine.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("machine ", machine.name(), ": is named twice"));
    }
  }
  for (const v1::BuildSlotStatus& slot : request.build_slots()) {
    if (!slot.build_id().empty()) RETURN_IF_ERROR(CheckUuid("build", slot.build_id()));
  }
  return CheckPower(request);
}

absl::Status WritePulse(Transaction& tx, const v1::SyncRequest& request) {
  std::vector<std::string> names;
  for (const v1::MachineStatus& machine : request.machines()) names.push_back(machine.name());
  RETURN_IF_ERROR(WriteAgent(tx, request));
  RETURN_IF_ERROR(CheckOwners(tx, request, TextArray(names)));
  WriteMachines(tx, request);
  tx.exec_params(
      "UPDATE machines SET present = false WHERE agent = $1 AND present AND name <> ALL "
      "($2::text[])",
      request.agent(), TextArray(names));
  WriteMachinePulse(tx, request);
  WriteLive(tx, request);
  WriteSlotPulse(tx, request);
  return absl::OkStatus();
}

}  // namespace shakedown::store
