#include "db/store/summaries.h"

#include <algorithm>
#include <tuple>

#include "db/store/sql.h"
#include "db/store/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {
namespace {

void ReadValues(Transaction& tx, UnsummarisedBoot& boot) {
  const pqxx::result runs = tx.exec_params(
      "SELECT load, tool_version FROM load_runs WHERE attempt_id = $1 AND tool_version <> ''",
      boot.attempt_id);
  for (const pqxx::row& row : runs) {
    boot.tools[row["load"].as<uint32_t>()] = row["tool_version"].as<std::string>();
  }
  if (boot.outcome != v1::OUTCOME_MEASURED) return;
  const pqxx::result rows = tx.exec_params(
      "SELECT l.load, m.metric, m.unit, count(*) AS n, "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) AS median "
      "FROM load_runs l JOIN measurements m ON m.load_run = l.id "
      "WHERE l.attempt_id = $1 AND NOT m.warmup GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
      boot.attempt_id);
  for (const pqxx::row& row : rows) {
    boot.values.push_back({row["load"].as<uint32_t>(), row["metric"].as<std::string>(),
                           row["unit"].as<std::string>(), row["median"].as<double>(),
                           row["n"].as<uint32_t>()});
  }
}

absl::Status ReadBoot(Transaction& tx, const pqxx::row& row, UnsummarisedBoot& boot) {
  boot.attempt_id = row["attempt_id"].as<std::string>();
  boot.variant = row["variant"].as<uint32_t>();
  boot.outcome = OutcomeOf(row["outcome"].as<std::string>());
  boot.release = row["release"].as<std::string>();
  boot.build_key = row["build_key"].as<std::string>();
  RETURN_IF_ERROR(ReadProto(row["spec"], boot.spec));
  v1::ResolvedKernel resolved;
  RETURN_IF_ERROR(ReadProto(row["resolved"], resolved));
  boot.kernel = std::move(*resolved.mutable_kernel());
  if (!row["built"].is_null()) {
    v1::BuildResult built;
    RETURN_IF_ERROR(ReadProto(row["built"], built));
    boot.source_version = built.source_version();
  }
  v1::BootResult result;
  RETURN_IF_ERROR(ReadProto(row["result"], result));
  boot.facts.insert(result.fingerprint().facts().begin(), result.fingerprint().facts().end());
  ReadValues(tx, boot);
  return absl::OkStatus();
}

// The id that `find` gives; without one `make` makes the row, or somebody else does meanwhile.
// Looked for first: each try to insert takes a number.
template <typename Find, typename Make>
int IdOf(Find find, Make make) {
  pqxx::result row = find();
  if (row.empty()) row = make();
  if (row.empty()) row = find();
  if (row.empty()) throw pqxx::failure("history: a row was made and has vanished");
  return row[0][0].as<int>();
}

int KernelIdOf(Transaction& tx, const BootSummary& summary) {
  const std::string kernel = Text(summary.kernel), version = Text(summary.version),
                    class_name = Text(summary.class_name);
  return IdOf(
      [&] {
        return tx.exec_params(
            "SELECT id FROM history_kernels WHERE kernel = $1 AND version = $2 AND class = $3",
            kernel, version, class_name);
      },
      [&] {
        return tx.exec_params(
            "INSERT INTO history_kernels (kernel, version, class) VALUES ($1, $2, $3) "
            "ON CONFLICT DO NOTHING RETURNING id",
            kernel, version, class_name);
      });
}

int EpochIdOf(Transaction& tx, const BootSummary& summary) {
  std::vector<std::string> names, values;
  for (const auto& [name, value] : summary.facts) {
    names.push_back(name);
    values.push_back(value);
  }
  return IdOf(
      [&] {
        return tx.exec_params("SELECT id FROM history_epochs WHERE sha256 = $1", summary.epoch);
      },
      [&] {
        return tx.exec_params(
            "INSERT INTO history_epochs (sha256, facts) VALUES ($1, jsonb_object($2::text[], "
            "$3::text[])) ON CONFLICT DO NOTHING RETURNING id",
            summary.epoch, TextArray(names), TextArray(values));
      });
}

int LoadIdOf(Transaction& tx, const BootSummary::Load& load) {
  return IdOf(
      [&] { return tx.exec_params("SELECT id FROM history_loads WHERE sha256 = $1", load.sha256); },
      [&] {
        return tx.exec_params(
            "INSERT INTO history_loads (sha256, text) VALUES ($1, $2) "
            "ON CONFLICT DO NOTHING RETURNING id",
            load.sha256, Text(load.text));
      });
}

struct Columns {
  std::string loads, metrics, units, ns, medians;
};

// In the order of the series' key, so that two boots make new ones in the same order.
Columns ColumnsOf(const BootSummary& summary, const std::vector<int>& load_ids) {
  std::vector<std::tuple<std::string, int64_t, std::string, int64_t, double>> rows;
  for (const SummaryValue& value : summary.values) {
    if (value.load >= load_ids.size()) continue;
    rows.emplace_back(value.metric, load_ids[value.load], value.unit, value.n, value.median);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<int64_t> loads, ns;
  std::vector<std::string> metrics, units;
  std::vector<double> medians;
  for (const auto& [metric, load, unit, n, median] : rows) {
    metrics.push_back(metric);
    loads.push_back(load);
    units.push_back(unit);
    ns.push_back(n);
    medians.push_back(median);
  }
  return {Int64Array(loads), TextArray(metrics), TextArray(units), Int64Array(ns),
          DoubleArray(medians)};
}

// Measured boots have a machine.
constexpr char kValues[] =
    "FROM boots o CROSS JOIN unnest($2::int[], $3::text[], $4::text[], $5::int[], "
    "$6::double precision[]) AS m (load, metric, unit, n, median) ";

void InsertValues(Transaction& tx, const BootSummary& summary, const Columns& c, int kernel,
                  int epoch) {
  tx.exec_params(
      "INSERT INTO history_series (metric, machine, load, unit) "
      "SELECT m.metric, o.machine, m.load, m.unit FROM boots o CROSS JOIN "
      "unnest($2::int[], $3::text[], $4::text[]) AS m (load, metric, unit) "
      "WHERE o.attempt_id = $1 AND NOT EXISTS (SELECT FROM history_series s WHERE "
      "(s.metric, s.machine, s.load, s.unit) = (m.metric, o.machine, m.load, m.unit)) "
      "ORDER BY m.metric, m.load, m.unit ON CONFLICT DO NOTHING",
      summary.attempt_id, c.loads, c.metrics, c.units);
  tx.exec_params(
      std::string("INSERT INTO boot_summaries (series, job, block, variant, attempt, kernel, "
                  "epoch, n, median, ended_at) "
                  "SELECT s.id, o.job, o.block, o.variant, o.attempt, $7, $8, m.n, m.median, "
                  "o.ended_at ") +
          kValues +
          "JOIN history_series s ON (s.metric, s.machine, s.load, s.unit) = "
          "(m.metric, o.machine, m.load, m.unit) WHERE o.attempt_id = $1",
      summary.attempt_id, c.loads, c.metrics, c.units, c.ns, c.medians, kernel, epoch);
  tx.exec_params(
      "INSERT INTO history_points (series, kernel, epoch, boots, newest) "
      "SELECT s.id, $5, $6, 1, o.ended_at FROM boots o CROSS JOIN "
      "unnest($2::int[], $3::text[], $4::text[]) AS m (load, metric, unit) "
      "JOIN history_series s ON (s.metric, s.machine, s.load, s.unit) = "
      "(m.metric, o.machine, m.load, m.unit) WHERE o.attempt_id = $1 ORDER BY s.id "
      "ON CONFLICT (series, kernel, epoch) DO UPDATE SET boots = history_points.boots + 1, "
      "newest = greatest(history_points.newest, excluded.newest)",
      summary.attempt_id, c.loads, c.metrics, c.units, kernel, epoch);
}

}  // namespace

absl::StatusOr<std::vector<UnsummarisedBoot>> BootsToSummarise(Database& database, int limit) {
  std::vector<UnsummarisedBoot> boots;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    boots.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT t.attempt_id, o.variant, o.outcome, j.spec, b.resolved, b.result AS built, "
        "coalesce(b.build_key, '') AS build_key, r.release, r.result "
        "FROM history_todo t JOIN boots o USING (attempt_id) JOIN boot_results r USING "
        "(attempt_id) JOIN jobs j ON j.id = o.job JOIN variants v ON v.job = o.job AND v.variant = "
        "o.variant JOIN builds b ON b.id = v.build LIMIT $1",
        limit);
    for (const pqxx::row& row : rows) {
      UnsummarisedBoot& boot = boots.emplace_back();
      if (ReadBoot(tx, row, boot).ok()) continue;
      boot = UnsummarisedBoot();
      boot.attempt_id = row["attempt_id"].as<std::string>();
    }
    return absl::OkStatus();
  }));
  return boots;
}

absl::StatusOr<bool> PutSummary(Database& database, const BootSummary& summary) {
  RETURN_IF_ERROR(CheckUuid("attempt", summary.attempt_id));
  bool put = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    put = tx.exec_params("DELETE FROM history_todo WHERE attempt_id = $1", summary.attempt_id)
              .affected_rows() == 1;
    if (!put || (summary.values.empty() && !summary.failed)) return absl::OkStatus();
    const int kernel = KernelIdOf(tx, summary);
    std::vector<int> loads;
    for (const BootSummary::Load& load : summary.loads) loads.push_back(LoadIdOf(tx, load));
    if (!summary.values.empty()) {
      InsertValues(tx, summary, ColumnsOf(summary, loads), kernel, EpochIdOf(tx, summary));
    }
    if (!summary.failed) return absl::OkStatus();
    tx.exec_params(
        "INSERT INTO history_failures (machine, load, kernel, attempt_id) "
        "SELECT o.machine, l.load, $3, o.attempt_id FROM boots o CROSS JOIN unnest($2::int[]) AS l "
        "(load) WHERE o.attempt_id = $1 AND o.machine IS NOT NULL ON CONFLICT DO NOTHING",
        summary.attempt_id, Int64Array({loads.begin(), loads.end()}), kernel);
    return absl::OkStatus();
  }));
  return put;
}

}  // namespace shakedown::store
