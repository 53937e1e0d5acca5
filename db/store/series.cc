#include "db/store/series.h"

#include "absl/strings/str_cat.h"
#include "db/store/import_rows.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

std::vector<SeriesRow> ToSeries(const pqxx::result& rows) {
  std::vector<SeriesRow> all;
  for (const pqxx::row& row : rows) {
    all.push_back({row["id"].as<int64_t>(), row["metric"].as<std::string>(),
                   row["machine"].as<std::string>(), row["text"].as<std::string>(),
                   row["unit"].as<std::string>()});
  }
  return all;
}

std::vector<SeriesRow> SeriesOf(Transaction& tx, const std::string& metric,
                                const std::string& machine) {
  return ToSeries(tx.exec_params(
      "SELECT s.id, s.metric, s.machine, l.text, s.unit FROM history_series s JOIN history_loads "
      "l ON l.id = s.load WHERE s.metric = $1 AND ($2 = '' OR s.machine = $2) "
      "ORDER BY s.machine, s.load, s.unit",
      Text(metric), Text(machine)));
}

void ReadKernels(Transaction& tx, int64_t series, SeriesContent& content) {
  const pqxx::result rows = tx.exec_params(
      "SELECT k.id, k.kernel, k.version, k.class, "
      "(SELECT count(*) FROM history_failures f WHERE f.machine = s.machine AND f.load = s.load "
      "AND f.kernel = k.id) AS failed "
      "FROM history_series s JOIN LATERAL (SELECT kernel FROM history_points WHERE series = s.id "
      "UNION SELECT kernel FROM history_failures WHERE machine = s.machine AND load = s.load) AS u "
      "ON true JOIN history_kernels k ON k.id = u.kernel WHERE s.id = $1 ORDER BY k.id",
      series);
  for (const pqxx::row& row : rows) {
    content.kernels.push_back({row["id"].as<int64_t>(), row["kernel"].as<std::string>(),
                               row["version"].as<std::string>(), row["class"].as<std::string>(),
                               row["failed"].as<uint32_t>()});
  }
}

void ReadEpochs(Transaction& tx, int64_t series, SeriesContent& content) {
  const pqxx::result rows = tx.exec_params(
      "SELECT e.id, f.key, f.value FROM history_epochs e "
      "LEFT JOIN LATERAL jsonb_each_text(e.facts) AS f (key, value) ON true "
      "WHERE e.id IN (SELECT epoch FROM history_points WHERE series = $1) ORDER BY e.id",
      series);
  for (const pqxx::row& row : rows) {
    const auto id = row["id"].as<int64_t>();
    if (content.epochs.empty() || content.epochs.back().id != id)
      content.epochs.push_back({id, {}});
    if (row["key"].is_null()) continue;
    content.epochs.back().facts[row["key"].as<std::string>()] = row["value"].as<std::string>();
  }
}

}  // namespace

absl::StatusOr<std::vector<SeriesRow>> FindSeries(Database& database, const std::string& metric,
                                                  const std::string& machine) {
  std::vector<SeriesRow> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all = SeriesOf(tx, metric, machine);
    return absl::OkStatus();
  }));
  return all;
}

absl::StatusOr<HistorySources> FindHistory(Database& database, const std::string& metric,
                                           const std::string& machine) {
  HistorySources sources;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    sources.series = SeriesOf(tx, metric, machine);
    return ReadImported(tx, metric, machine, kMostImportedRuns, sources.imported);
  }));
  return sources;
}

absl::StatusOr<std::vector<SeriesRow>> SeriesOfJob(Database& database, int64_t job) {
  std::vector<SeriesRow> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all = ToSeries(tx.exec_params(
        "SELECT s.id, s.metric, s.machine, l.text, s.unit FROM history_series s JOIN history_loads "
        "l ON l.id = s.load WHERE s.machine IN (SELECT machine FROM boots WHERE job = $1) "
        "AND EXISTS (SELECT FROM boot_summaries b WHERE b.series = s.id AND b.job = $1) "
        "ORDER BY s.id",
        job));
    return absl::OkStatus();
  }));
  return all;
}

absl::StatusOr<SeriesContent> ReadSeries(Database& database, int64_t series, size_t most) {
  SeriesContent content;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    content = SeriesContent();
    const pqxx::result rows = tx.exec_params(
        "SELECT kernel, epoch, job, block, variant, attempt, n, median, " SHAKEDOWN_MICROS(
            "ended_at") " AS ended FROM boot_summaries WHERE series = $1 "
                        "ORDER BY job, block, variant, attempt LIMIT $2",
        series, static_cast<int64_t>(most) + 1);
    if (rows.size() > most) {
      return absl::ResourceExhaustedError(
          absl::StrCat("series of more than ", most, " boots: too long to be read at once"));
    }
    content.boots.reserve(rows.size());
    for (const pqxx::row& row : rows) {
      content.boots.push_back({row[0].as<int64_t>(), row[1].as<int64_t>(), row[2].as<int64_t>(),
                               row[3].as<uint32_t>(), row[4].as<uint32_t>(), row[5].as<uint32_t>(),
                               row[6].as<uint32_t>(), row[7].as<double>(),
                               absl::FromUnixMicros(row[8].as<int64_t>())});
    }
    ReadKernels(tx, series, content);
    ReadEpochs(tx, series, content);
    return absl::OkStatus();
  }));
  return content;
}

absl::StatusOr<std::vector<v1::SeriesView>> ListSeries(Database& database,
                                                       const std::string& prefix,
                                                       const std::string& machine, uint32_t limit) {
  std::vector<v1::SeriesView> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT s.metric, s.machine, l.text, k.class, s.unit, count(DISTINCT p.kernel) AS points, "
        "count(DISTINCT p.epoch) AS epochs, " SHAKEDOWN_MICROS("max(p.newest)") " AS newest "
        "FROM (SELECT * FROM history_series WHERE metric LIKE $1 AND ($2 = '' OR machine = $2) "
        "ORDER BY metric, machine, load, unit LIMIT $3) AS s "
        "JOIN history_loads l ON l.id = s.load JOIN history_points p ON p.series = s.id "
        "JOIN history_kernels k ON k.id = p.kernel "
        "GROUP BY s.metric, s.machine, s.load, l.text, k.class, s.unit "
        "ORDER BY s.metric, s.machine, s.load, k.class, s.unit LIMIT $3",
        LikePrefix(prefix), Text(machine), static_cast<int64_t>(limit));
    for (const pqxx::row& row : rows) {
      v1::SeriesView& view = all.emplace_back();
      view.mutable_key()->set_metric(row["metric"].as<std::string>());
      view.mutable_key()->set_machine(row["machine"].as<std::string>());
      view.mutable_key()->set_loads(row["text"].as<std::string>());
      view.mutable_key()->set_config_class(row["class"].as<std::string>());
      view.set_unit(row["unit"].as<std::string>());
      view.set_points(row["points"].as<uint32_t>());
      view.set_epochs(row["epochs"].as<uint32_t>());
      *view.mutable_newest() = ReadTime(row["newest"]);
    }
    return absl::OkStatus();
  }));
  return all;
}

}  // namespace shakedown::store
