#include "db/store/controls.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

void InsertMachine(Transaction& tx, int64_t job, const v1::ReportControlMachine& machine) {
  tx.exec_params(
      "INSERT INTO controls (job, machine, loads_sha256, tests, false_alarms, failure) "
      "SELECT id, $2, loads_sha256, $3, $4, $5 FROM jobs WHERE id = $1",
      job, Text(machine.machine()), static_cast<int64_t>(machine.tests()),
      static_cast<int64_t>(machine.false_alarms()), Text(machine.failure()));
}

void InsertMetrics(Transaction& tx, int64_t job, const v1::ReportControlMachine& machine) {
  std::vector<std::string> metrics;
  std::vector<int64_t> loads, blocks, tested, alarms;
  std::vector<double> sds, estimates, los, his, ps;
  const auto value = [](bool has, double number) { return has ? number : std::nan(""); };
  for (const v1::ReportControlMetric& m : machine.metrics()) {
    metrics.push_back(m.metric());
    loads.push_back(m.load());
    blocks.push_back(m.n());
    sds.push_back(value(m.has_sd(), m.sd()));
    estimates.push_back(value(m.has_estimate(), m.estimate()));
    los.push_back(value(m.has_ci_lo(), m.ci_lo()));
    his.push_back(value(m.has_ci_hi(), m.ci_hi()));
    ps.push_back(value(m.has_p(), m.p()));
    tested.push_back(m.has_ci_lo() && m.role() != "info" ? 1 : 0);
    alarms.push_back(m.false_alarm() ? 1 : 0);
  }
  tx.exec_params(
      "INSERT INTO control_metrics (job, machine, load, metric, blocks, sd, estimate, ci_lo, "
      "ci_hi, p, tested, false_alarm) "
      "SELECT $1, $2, m.load, m.metric, m.blocks, m.sd, m.estimate, m.lo, m.hi, m.p, m.tested = 1, "
      "m.alarm = 1 FROM unnest($3::int[], $4::text[], $5::int[], $6::double precision[], "
      "$7::double precision[], $8::double precision[], $9::double precision[], "
      "$10::double precision[], $11::int[], $12::int[]) "
      "AS m (load, metric, blocks, sd, estimate, lo, hi, p, tested, alarm)",
      job, Text(machine.machine()), Int64Array(loads), TextArray(metrics), Int64Array(blocks),
      DoubleArray(sds), DoubleArray(estimates), DoubleArray(los), DoubleArray(his), DoubleArray(ps),
      Int64Array(tested), Int64Array(alarms));
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> JobsWithOpenControl(Database& database) {
  std::vector<int64_t> jobs;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    jobs.clear();
    const pqxx::result rows = tx.exec(
        "SELECT id FROM jobs WHERE control = 'open' AND state <> 'active' ORDER BY id "
        "LIMIT 20");
    for (const pqxx::row& row : rows) jobs.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  return jobs;
}

absl::Status StoreControl(Database& database, int64_t job, const v1::ReportControl& control) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result row =
        tx.exec_params("SELECT state, control FROM jobs WHERE id = $1 FOR NO KEY UPDATE", job);
    if (row.empty()) return absl::NotFoundError(absl::StrCat("job ", job, ": no such job"));
    if (row[0]["control"].as<std::string>() != "open") return absl::OkStatus();
    if (row[0]["state"].as<std::string>() == "active") {
      return absl::FailedPreconditionError(
          absl::StrCat("job ", job, ": goes on; its A/A control is judged when it has ended"));
    }
    for (const v1::ReportControlMachine& machine : control.machines()) {
      InsertMachine(tx, job, machine);
      InsertMetrics(tx, job, machine);
    }
    tx.exec_params("UPDATE jobs SET control = 'stored' WHERE id = $1", job);
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<v1::PastNoise>> NoiseBefore(Database& database, int64_t job) {
  std::vector<v1::PastNoise> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all.clear();
    // Variances weigh by their degrees of freedom.
    const pqxx::result rows = tx.exec_params(
        "SELECT m.machine, m.load, m.metric, count(*) AS tests, "
        "count(*) FILTER (WHERE m.false_alarm) AS alarms, sum(m.blocks) AS blocks, "
        "sqrt(sum(m.sd * m.sd * (m.blocks - 1)) / nullif(sum(m.blocks - 1) FILTER (WHERE m.sd IS "
        "NOT NULL), 0)) AS sd "
        "FROM jobs this JOIN controls c ON c.loads_sha256 = this.loads_sha256 "
        "JOIN jobs past ON past.id = c.job JOIN control_metrics m ON m.job = c.job AND m.machine = "
        "c.machine "
        "WHERE this.id = $1 AND past.id <> this.id AND m.tested "
        "AND (this.ended_at IS NULL OR past.ended_at < this.ended_at) "
        "GROUP BY m.machine, m.load, m.metric ORDER BY m.machine, m.load, m.metric",
        job);
    for (const pqxx::row& row : rows) {
      v1::PastNoise& noise = all.emplace_back();
      noise.set_machine(row["machine"].as<std::string>());
      noise.set_load(row["load"].as<uint32_t>());
      noise.set_metric(row["metric"].as<std::string>());
      noise.set_tests(row["tests"].as<uint32_t>());
      noise.set_false_alarms(row["alarms"].as<uint32_t>());
      noise.set_blocks(row["blocks"].as<uint32_t>());
      if (!row["sd"].is_null()) noise.set_sd(row["sd"].as<double>());
    }
    return absl::OkStatus();
  }));
  return all;
}

}  // namespace shakedown::store
