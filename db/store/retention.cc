#include "db/store/retention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// The next boots or builds of one kind of thinning, locked against who does the same.
struct Turn {
  std::string what;   // Of retention_progress.
  std::string table;  // "boots", "builds"; never from outside.
  std::string id;     // Its key.
};

pqxx::result NextRows(Transaction& tx, const Turn& turn, const std::string& columns,
                      absl::Duration keep, int most) {
  const pqxx::row at = tx.exec_params1(
      "SELECT at::text AS at, id FROM retention_progress WHERE what = $1 FOR UPDATE", turn.what);
  return tx.exec_params(
      absl::StrCat("SELECT ", turn.id, " AS id, ended_at::text AS ended_at, ", columns, " FROM ",
                   turn.table, " WHERE ended_at IS NOT NULL AND (ended_at, ", turn.id,
                   ") > ($1::timestamptz, $2::uuid) AND ended_at < now() - $3 * interval "
                   "'1 second' ORDER BY ended_at, ",
                   turn.id, " LIMIT $4"),
      at["at"].as<std::string>(), at["id"].as<std::string>(), absl::ToDoubleSeconds(keep), most);
}

void SetProgress(Transaction& tx, const Turn& turn, const pqxx::result& rows) {
  if (rows.empty()) return;
  const pqxx::row last = rows[rows.size() - 1];
  tx.exec_params("UPDATE retention_progress SET at = $2::timestamptz, id = $3 WHERE what = $1",
                 turn.what, last["ended_at"].as<std::string>(), last["id"].as<std::string>());
}

void ThinSeriesOf(Transaction& tx, const std::string& attempt_id, RetentionBatch* batch) {
  const pqxx::result rows = tx.exec_params(
      "DELETE FROM series s USING load_runs r WHERE r.id = s.load_run AND r.attempt_id = $1 "
      "AND s.step_ms < $2 RETURNING s.load_run, s.name, s.unit, s.step_ms, s.values",
      attempt_id, static_cast<int64_t>(kThinnedStepMs));
  for (const pqxx::row& row : rows) {
    const ThinnedSeries thinned =
        ThinSeries(ReadDoubleArray(row["values"]), row["step_ms"].as<uint32_t>());
    const std::pair<const char*, const std::vector<double>*> parts[] = {
        {".min", &thinned.min}, {".median", &thinned.median}, {".max", &thinned.max}};
    for (const auto& [suffix, values] : parts) {
      tx.exec_params(
          "INSERT INTO series (load_run, name, unit, step_ms, values) "
          "VALUES ($1, $2, $3, $4, $5::double precision[]) ON CONFLICT DO NOTHING",
          row["load_run"].as<int64_t>(), absl::StrCat(row["name"].as<std::string>(), suffix),
          row["unit"].as<std::string>(), static_cast<int64_t>(kThinnedStepMs),
          DoubleArray(*values));
    }
    ++batch->series;
  }
  batch->tops += static_cast<int>(
      tx.exec_params("DELETE FROM top_snapshots t USING load_runs r WHERE r.id = t.load_run "
                     "AND r.attempt_id = $1",
                     attempt_id)
          .affected_rows());
}

// Every lease's log of one boot or build.
void ThinLogsOf(Transaction& tx, const std::string& stream, RetentionBatch* batch) {
  constexpr size_t kKept = kKeptLogHead + kKeptLogTail;
  const pqxx::result logs =
      tx.exec_params("SELECT epoch, size FROM logs WHERE stream = $1 AND size > $2 FOR UPDATE",
                     stream, static_cast<int64_t>(kKept + 1024));
  for (const pqxx::row& log : logs) {
    const auto epoch = log["epoch"].as<int64_t>();
    const auto size = log["size"].as<int64_t>();
    // Only the chunks at both ends are read.
    std::string head, tail;
    for (const pqxx::row& chunk : tx.exec_params(
             "SELECT start, data FROM log_chunks WHERE stream = $1 AND epoch = $2 AND (start < $3 "
             "OR start + length(data) > $4) ORDER BY start",
             stream, epoch, static_cast<int64_t>(kKeptLogHead),
             size - static_cast<int64_t>(kKeptLogTail))) {
      const std::string data = ReadBytes(chunk["data"]);
      if (chunk["start"].as<int64_t>() < static_cast<int64_t>(kKeptLogHead)) head += data;
      tail += data;
    }
    head.resize(std::min(head.size(), kKeptLogHead));
    if (tail.size() > kKeptLogTail) tail.erase(0, tail.size() - kKeptLogTail);
    const std::string text =
        absl::StrCat(head, "\n[", size - static_cast<int64_t>(head.size() + tail.size()),
                     " bytes of this log are no longer kept]\n", tail);
    tx.exec_params("DELETE FROM log_chunks WHERE stream = $1 AND epoch = $2", stream, epoch);
    tx.exec_params("INSERT INTO log_chunks (stream, epoch, start, data) VALUES ($1, $2, 0, $3)",
                   stream, epoch, Bytes(text));
    tx.exec_params("UPDATE logs SET size = $3 WHERE stream = $1 AND epoch = $2", stream, epoch,
                   static_cast<int64_t>(text.size()));
    ++batch->logs;
  }
}

absl::Status ThinTelemetry(Transaction& tx, absl::Duration keep, int most, RetentionBatch* batch) {
  const Turn turn = {"telemetry", "boots", "attempt_id"};
  const pqxx::result boots = NextRows(tx, turn, "1 AS one", keep, most);
  for (const pqxx::row& boot : boots) ThinSeriesOf(tx, boot["id"].as<std::string>(), batch);
  batch->boots += static_cast<int>(boots.size());
  SetProgress(tx, turn, boots);
  return absl::OkStatus();
}

// Of what went well: the log of a failure is a finding.
absl::Status ThinLogs(Transaction& tx, const Turn& turn, const std::string& went_well,
                      absl::Duration keep, int most, int* gone_through, RetentionBatch* batch) {
  const pqxx::result rows =
      NextRows(tx, turn, absl::StrCat("(", went_well, ") AS well"), keep, most);
  for (const pqxx::row& row : rows) {
    if (row["well"].as<bool>()) ThinLogsOf(tx, row["id"].as<std::string>(), batch);
  }
  *gone_through += static_cast<int>(rows.size());
  SetProgress(tx, turn, rows);
  return absl::OkStatus();
}

}  // namespace

ThinnedSeries ThinSeries(const std::vector<double>& values, uint32_t step_ms) {
  ThinnedSeries thinned;
  std::vector<double> minute;
  uint64_t number = 0;
  const auto finish = [&] {
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::sort(minute.begin(), minute.end());
    const size_t n = minute.size();
    thinned.min.push_back(n == 0 ? none : minute.front());
    thinned.max.push_back(n == 0 ? none : minute.back());
    thinned.median.push_back(n == 0 ? none : (minute[(n - 1) / 2] + minute[n / 2]) / 2);
    minute.clear();
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t of = static_cast<uint64_t>(i) * step_ms / kThinnedStepMs;
    for (; number < of; ++number) finish();
    if (!std::isnan(values[i])) minute.push_back(values[i]);
  }
  if (!values.empty()) finish();
  return thinned;
}

absl::StatusOr<RetentionBatch> ThinOld(Database& database, absl::Duration keep, int most) {
  RetentionBatch batch;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    batch = RetentionBatch();
    RETURN_IF_ERROR(ThinTelemetry(tx, keep, most, &batch));
    int boots = 0;  // Counted by their telemetry, unless that is ahead.
    RETURN_IF_ERROR(ThinLogs(tx, {"boot_logs", "boots", "attempt_id"}, "outcome = 'measured'", keep,
                             most, &boots, &batch));
    batch.boots = std::max(batch.boots, boots);
    return ThinLogs(tx, {"build_logs", "builds", "id"}, "state = 'built'", keep, most,
                    &batch.builds, &batch);
  }));
  return batch;
}

}  // namespace shakedown::store
