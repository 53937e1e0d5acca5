#include "db/store/import_series.h"

#include "absl/strings/str_cat.h"
#include "db/store/import_rows.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

void ReadRuns(Transaction& tx, const std::string& metric, const std::string& machine, size_t most,
              ImportedHistory& history) {
  const pqxx::result rows = tx.exec_params(
      "SELECT v.import, n.kernel, n.tunables, v.detail, v.unit, max(v.direction), v.run, "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY v.value), bool_or(v.starred) "
      "FROM import_values v JOIN imports i ON i.id = v.import "
      "JOIN import_variants n ON n.import = v.import AND n.variant = v.variant "
      "WHERE v.metric = $1 AND ($2 = '' OR i.machine = $2) AND NOT v.warmup "
      "AND i.withdrawn_at IS NULL "
      "GROUP BY v.import, n.kernel, n.tunables, v.detail, v.unit, v.run "
      "ORDER BY v.import, min(v.ordinal) LIMIT $3 + 1",
      Text(metric), Text(machine), static_cast<int64_t>(most));
  history.runs.reserve(rows.size());
  for (const pqxx::row& row : rows) {
    ImportedRun& run = history.runs.emplace_back();
    run.import = row[0].as<int64_t>();
    run.kernel = row[1].as<std::string>();
    run.tunables = row[2].as<std::string>();
    run.metric = metric;
    run.detail = row[3].as<std::string>();
    run.unit = row[4].as<std::string>();
    run.direction = row[5].as<std::string>();
    run.run = row[6].as<uint32_t>();
    run.value = row[7].as<double>();
    run.starred = row[8].as<bool>();
    history.imports[run.import];
  }
}

void ReadOrigins(Transaction& tx, ImportedHistory& history) {
  std::vector<int64_t> ids;
  for (const auto& [import, origin] : history.imports) ids.push_back(import);
  for (const pqxx::row& row : tx.exec_params(
           "SELECT i.id, i.machine, i.format, i.source, i.shipped, " SHAKEDOWN_MICROS(
               "coalesce(i.measured_at, i.added_at)") " AS at, f.key, f.value FROM imports i "
                                                      "LEFT JOIN LATERAL jsonb_each_text(i.facts) "
                                                      "AS f (key, value) ON true "
                                                      "WHERE i.id = ANY ($1::bigint[])",
           Int64Array(ids))) {
    ImportOrigin& origin = history.imports[row[0].as<int64_t>()];
    origin.machine = row[1].as<std::string>();
    origin.format = row[2].as<std::string>();
    origin.source = row[3].as<std::string>();
    origin.shipped = row[4].as<bool>();
    origin.when = ReadTime(row[5]);
    if (!row[6].is_null()) origin.facts[row[6].as<std::string>()] = row[7].as<std::string>();
  }
}

}  // namespace

// Told apart before anything is joined: a vmstat of a day has 17 series in 10^6 values.
#define SHAKEDOWN_ITS_SERIES                                                                     \
  "(SELECT DISTINCT variant, metric, detail, unit FROM import_values WHERE import = $1 AND NOT " \
  "warmup) AS v JOIN imports i ON i.id = $1 "

void AddToSeries(Transaction& tx, int64_t import) {
  // In one order, so that two imports at once wait for each other and do not lock each other out.
  tx.exec_params(
      "INSERT INTO import_series (metric, machine, detail, unit) "
      "SELECT DISTINCT v.metric, i.machine, v.detail, v.unit FROM " SHAKEDOWN_ITS_SERIES
      "ORDER BY 1, 2, 3, 4 ON CONFLICT (metric, machine, md5(detail), md5(unit)) DO NOTHING",
      import);
  tx.exec_params(
      "INSERT INTO import_points (series, import, variant) "
      "SELECT s.id, i.id, v.variant FROM " SHAKEDOWN_ITS_SERIES
      "JOIN import_series s ON s.metric = v.metric AND s.machine = i.machine "
      "AND md5(s.detail) = md5(v.detail) AND md5(s.unit) = md5(v.unit)",
      import);
}

void RemoveFromSeries(Transaction& tx, int64_t import) {
  tx.exec_params("DELETE FROM import_points WHERE import = $1", import);
}

absl::StatusOr<std::vector<v1::SeriesView>> ListImportedSeries(Database& database,
                                                               const std::string& prefix,
                                                               const std::string& machine,
                                                               uint32_t limit) {
  std::vector<v1::SeriesView> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all.clear();
    // Names without points are passed over before they are counted.
    const pqxx::result rows = tx.exec_params(
        "WITH s AS (SELECT * FROM import_series s WHERE metric LIKE $1 AND ($2 = '' OR machine = "
        "$2) AND EXISTS (SELECT FROM import_points p WHERE p.series = s.id) "
        "ORDER BY metric, machine, detail, unit LIMIT $3), "
        "k AS (SELECT p.series, n.kernel, n.tunables, max(coalesce(i.measured_at, i.added_at)) AS "
        "newest FROM s JOIN import_points p ON p.series = s.id JOIN imports i ON i.id = p.import "
        "JOIN import_variants n ON n.import = p.import AND n.variant = p.variant GROUP BY 1, 2, 3) "
        "SELECT s.metric, s.machine, s.detail, s.unit, c.points, " SHAKEDOWN_MICROS(
            "c.newest") " AS newest FROM s JOIN (SELECT series, count(*) AS points, max(newest) AS "
                        "newest FROM k GROUP BY 1) AS c ON c.series = s.id "
                        "ORDER BY s.metric, s.machine, s.detail, s.unit",
        LikePrefix(prefix), Text(machine), static_cast<int64_t>(limit));
    for (const pqxx::row& row : rows) {
      v1::SeriesView& view = all.emplace_back();
      view.set_imported(true);
      view.mutable_key()->set_metric(row["metric"].as<std::string>());
      view.mutable_key()->set_machine(row["machine"].as<std::string>());
      view.mutable_key()->set_loads(row["detail"].as<std::string>());
      view.set_unit(row["unit"].as<std::string>());
      view.set_points(row["points"].as<uint32_t>());
      *view.mutable_newest() = ReadTime(row["newest"]);
    }
    return absl::OkStatus();
  }));
  return all;
}

absl::Status ReadImported(Transaction& tx, const std::string& metric, const std::string& machine,
                          size_t most, ImportedHistory& history) {
  history = ImportedHistory();
  const bool there = tx.exec_params1("SELECT EXISTS (SELECT FROM import_series WHERE metric = $1)",
                                     Text(metric))[0]
                         .as<bool>();
  if (!there) return absl::OkStatus();
  ReadRuns(tx, metric, machine, most, history);
  if (history.runs.size() > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", most, " imported runs: too many to be read at once"));
  }
  if (!history.runs.empty()) ReadOrigins(tx, history);
  return absl::OkStatus();
}

absl::StatusOr<ImportedHistory> ReadImportedHistory(Database& database, const std::string& metric,
                                                    const std::string& machine, size_t most) {
  ImportedHistory history;
  RETURN_IF_ERROR(Read(
      database, [&](Transaction& tx) { return ReadImported(tx, metric, machine, most, history); }));
  return history;
}

}  // namespace shakedown::store
