#include "db/store/calibration.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"

namespace shakedown::store {
namespace {

constexpr uint64_t kFewestLoops = 1000, kMostLoops = 1000000000;

bool IsHardware(const std::string& name) {
  return name == "accelerator" || name == "vcpus" || name == "host_cpu" || name == "pinning" ||
         absl::StartsWith(name, "cpu.");
}

std::map<std::string, std::string> FactsOf(Transaction& tx, const std::string& machine) {
  const pqxx::result rows = tx.exec_params(
      "SELECT f.key, f.value FROM machines m, jsonb_each_text(m.facts) f WHERE m.name = $1",
      Text(machine));
  std::map<std::string, std::string> facts;
  for (const pqxx::row& row : rows) {
    facts[row[0].as<std::string>()] = row[1].is_null() ? "" : row[1].as<std::string>();
  }
  return facts;
}

}  // namespace

std::string HardwareDigest(const std::map<std::string, std::string>& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    // Lengths first: no two sets of facts give one text.
    if (IsHardware(name)) {
      absl::StrAppend(&text, name.size(), ":", name, value.size(), ":", value);
    }
  }
  return Sha256Hex(text);
}

uint64_t FindCalibration(Transaction& tx, const std::string& machine) {
  const pqxx::result found = tx.exec_params(
      "SELECT loops_per_ms FROM calibrations WHERE machine = $1 AND facts_sha256 = $2",
      Text(machine), HardwareDigest(FactsOf(tx, machine)));
  return found.empty() ? 0 : found[0][0].as<uint64_t>();
}

absl::Status CheckCalibration(const v1::BootResult& result) {
  const uint64_t loops = result.loops_per_ms();
  if (loops == 0 || (loops >= kFewestLoops && loops <= kMostLoops)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("attempt ", result.attempt_id(), ": ", loops,
                                                 " loops per ms; 0 or ", kFewestLoops, " to ",
                                                 kMostLoops, " is wanted"));
}

void KeepCalibration(Transaction& tx, const std::string& machine, const v1::BootResult& result) {
  if (result.loops_per_ms() == 0 || result.outcome() != v1::OUTCOME_MEASURED) return;
  tx.exec_params(
      "INSERT INTO calibrations (machine, facts_sha256, loops_per_ms, attempt_id) "
      "VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      Text(machine), HardwareDigest(FactsOf(tx, machine)),
      static_cast<int64_t>(result.loops_per_ms()), result.attempt_id());
}

}  // namespace shakedown::store
