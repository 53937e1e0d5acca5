#include "db/store/boots.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/boot_check.h"
#include "db/store/calibration.h"
#include "db/store/histograms.h"
#include "db/store/settle.h"
#include "db/store/sql.h"
#include "db/store/words.h"
#include "proto/wire/digest.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kMostEvidence = 64 << 10;

void InsertMeasurements(Transaction& tx, int64_t load_run, const v1::LoadRun& run) {
  std::vector<std::string> metrics, units;
  std::vector<int64_t> iterations, warmups;
  std::vector<double> values;
  for (const v1::Measurement& m : run.measurements()) {
    metrics.push_back(m.metric());
    units.push_back(m.unit());
    iterations.push_back(m.iteration());
    warmups.push_back(m.warmup() ? 1 : 0);
    values.push_back(m.value());
  }
  tx.exec_params(
      "INSERT INTO measurements (load_run, ordinal, metric, iteration, warmup, value, unit) "
      "SELECT $1, m.ordinal, m.metric, m.iteration, m.warmup = 1, m.value, m.unit "
      "FROM unnest($2::text[], $3::int[], $4::int[], $5::double precision[], $6::text[]) WITH "
      "ORDINALITY "
      "AS m (metric, iteration, warmup, value, unit, ordinal)",
      load_run, TextArray(metrics), Int64Array(iterations), Int64Array(warmups),
      DoubleArray(values), TextArray(units));
}

void InsertDisturbances(Transaction& tx, int64_t load_run, const v1::LoadRun& run) {
  std::vector<std::string> rules, facts;
  for (const v1::Disturbance& disturbance : run.disturbances()) {
    rules.push_back(disturbance.rule());
    facts.push_back(disturbance.fact());
  }
  if (rules.empty()) return;
  tx.exec_params(
      "INSERT INTO disturbances (load_run, ordinal, rule, fact) "
      "SELECT $1, d.ordinal, d.rule, d.fact FROM unnest($2::text[], $3::text[]) WITH ORDINALITY "
      "AS d (rule, fact, ordinal)",
      load_run, TextArray(rules), TextArray(facts));
}

void InsertTop(Transaction& tx, int64_t load_run, const v1::LoadRun& run) {
  if (run.top().empty()) return;
  v1::LoadRun only;
  *only.mutable_top() = run.top();
  tx.exec_params("INSERT INTO top_snapshots (load_run, snapshots) VALUES ($1, $2)", load_run,
                 Bytes(Canonical(only)));
}

void InsertSetup(Transaction& tx, const v1::BootResult& result) {
  std::vector<std::string> steps, befores, undos;
  std::vector<int64_t> undone;
  for (const v1::SetupRecord& record : result.setup()) {
    steps.push_back(record.step());
    befores.push_back(record.before());
    undos.push_back(record.undo());
    undone.push_back(record.undone() ? 1 : 0);
  }
  if (steps.empty()) return;
  tx.exec_params(
      "INSERT INTO setup_records (attempt_id, ordinal, step, before, undo, undone) "
      "SELECT $1, s.ordinal, s.step, s.before, s.undo, s.undone = 1 "
      "FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) WITH ORDINALITY "
      "AS s (step, before, undo, undone, ordinal)",
      result.attempt_id(), TextArray(steps), TextArray(befores), TextArray(undos),
      Int64Array(undone));
}

void InsertLoadRun(Transaction& tx, const std::string& attempt_id, const v1::LoadRun& run) {
  const auto id =
      tx.exec_params1(
            "INSERT INTO load_runs (attempt_id, load, duration_ms, output, warnings, tool_version) "
            "VALUES ($1, $2, $3, $4, $5::text[], $6) RETURNING id",
            attempt_id, static_cast<int64_t>(run.load()), static_cast<int64_t>(run.duration_ms()),
            Text(run.output()), TextArray(run.warnings()), Text(run.tool_version()))[0]
          .as<int64_t>();
  InsertMeasurements(tx, id, run);
  InsertDisturbances(tx, id, run);
  InsertTop(tx, id, run);
  InsertHistograms(tx, id, run);
  for (const v1::Series& series : run.series()) {
    tx.exec_params(
        "INSERT INTO series (load_run, name, unit, step_ms, values) "
        "VALUES ($1, $2, $3, $4, $5::double precision[])",
        id, Text(series.name()), Text(series.unit()), static_cast<int64_t>(series.step_ms()),
        DoubleArray({series.values().begin(), series.values().end()}));
  }
}

void InsertResult(Transaction& tx, const v1::BootResult& result, const std::string& digest) {
  v1::BootResult head = result;
  head.clear_load_runs();
  if (head.evidence().size() > kMostEvidence) {
    head.set_evidence(ToUtf8(head.evidence().substr(0, kMostEvidence)));
  }
  const MapArrays facts = ToArrays(result.fingerprint().facts());
  tx.exec_params(
      "INSERT INTO boot_results (attempt_id, sha256, result, console_tail, boot_ms, release, "
      "build_id, fingerprint) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, jsonb_object($8::text[], $9::text[]))",
      result.attempt_id(), digest, Bytes(Canonical(head)), Text(result.console_tail()),
      static_cast<int64_t>(result.boot_ms()), Text(result.identity().release()),
      Text(result.identity().build_id()), facts.keys, facts.values);
  InsertSetup(tx, result);
  for (const v1::LoadRun& run : result.load_runs()) InsertLoadRun(tx, result.attempt_id(), run);
}

// Why it can not be accepted; OK: it can. `accepted`: the digest of the result that was, or empty.
absl::Status Refusal(const LockedBoot& boot, const std::string& accepted, const std::string& agent,
                     const v1::BootResult& result) {
  const std::string what = absl::StrCat("attempt ", result.attempt_id());
  if (!accepted.empty()) {
    return absl::AlreadyExistsError(absl::StrCat(what, ": another result was accepted already"));
  }
  if (boot.state == "running" && boot.agent == agent && boot.epoch == result.epoch()) {
    return absl::OkStatus();
  }
  if (boot.agent == agent && boot.epoch == result.epoch() && boot.state == "ended") {
    return absl::FailedPreconditionError(absl::StrCat(what, ": was given up meanwhile"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      what, ": epoch ", result.epoch(), " of agent ", agent, " is not the lease's, which is ",
      boot.epoch, " of agent ", boot.agent.empty() ? "none" : boot.agent));
}

absl::Status Accept(Transaction& tx, const LockedBoot& boot, const v1::BootResult& result,
                    const std::string& digest) {
  RETURN_IF_ERROR(CheckBootResult(result, boot.loads));
  RETURN_IF_ERROR(CheckCalibration(result));
  InsertResult(tx, result, digest);
  KeepCalibration(tx, boot.machine, result);
  std::string reason = result.reason();
  if (result.outcome() == v1::OUTCOME_CANCELLED && !boot.cancel_requested) {
    reason = absl::StrCat("handed back by its agent: ", reason);  // Nobody here cancelled it.
  }
  return EndBoot(tx, result.attempt_id(), boot, OutcomeWord(result.outcome()), reason);
}

}  // namespace

absl::Status RecordBoot(Database& database, const std::string& agent,
                        const v1::BootResult& result) {
  const std::string content = Canonical(result);
  const std::string digest = Sha256Hex(content);
  absl::Status refusal;  // Apart, so that the evidence is committed with it.
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    refusal = absl::OkStatus();
    ASSIGN_OR_RETURN(const LockedBoot boot, LockBoot(tx, result.attempt_id()));
    const pqxx::result row = tx.exec_params("SELECT sha256 FROM boot_results WHERE attempt_id = $1",
                                            result.attempt_id());
    const std::string accepted = row.empty() ? "" : row[0][0].as<std::string>();
    if (accepted == digest) return absl::OkStatus();
    refusal = Refusal(boot, accepted, agent, result);
    if (refusal.ok()) return Accept(tx, boot, result, digest);
    KeepEvidence(tx, result.attempt_id(), agent, refusal.message(), content);
    return absl::OkStatus();
  }));
  return refusal;
}

absl::StatusOr<std::string> FindAttempt(Database& database, const BootName& name) {
  std::string attempt_id;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found = tx.exec_params(
        "SELECT attempt_id FROM boots WHERE job = $1 AND block = $2 AND variant = $3 "
        "AND ($4 = 0 OR attempt = $4) ORDER BY attempt DESC LIMIT 1",
        name.job, static_cast<int64_t>(name.block), static_cast<int64_t>(name.variant),
        static_cast<int64_t>(name.attempt));
    if (found.empty()) {
      return absl::NotFoundError(absl::StrCat("boot ", FormatBootName(name), ": no such boot"));
    }
    attempt_id = found[0][0].as<std::string>();
    return absl::OkStatus();
  }));
  return attempt_id;
}

}  // namespace shakedown::store
