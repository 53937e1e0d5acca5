#include "db/store/reports.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "db/store/jobs.h"
#include "db/store/load_runs.h"
#include "db/store/loads_key.h"
#include "db/store/past.h"
#include "db/store/sql.h"
#include "db/store/views.h"
#include "proto/wire/status.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {
namespace {

absl::Status ReadVariants(Transaction& tx, ReportData& data) {
  const pqxx::result rows = tx.exec_params("SELECT v.variant, b.resolved, " SHAKEDOWN_BUILD_COLUMNS
                                           " FROM variants v JOIN " SHAKEDOWN_BUILD_TABLES
                                           " ON b.id = v.build WHERE v.job = $1 ORDER BY v.variant",
                                           data.job.job());
  for (const pqxx::row& row : rows) {
    ReportVariant& variant = data.variants.emplace_back();
    variant.variant = data.job.spec().variants(row["variant"].as<int>());
    v1::ResolvedKernel resolved;
    RETURN_IF_ERROR(ReadProto(row["resolved"], resolved));
    variant.kernel = std::move(*resolved.mutable_kernel());
    RETURN_IF_ERROR(FillBuild(row, variant.build));
    if (row["result"].is_null()) continue;
    v1::BuildResult result;
    RETURN_IF_ERROR(ReadProto(row["result"], result));
    variant.expected = result.expected();
    variant.image = result.image();
    variant.config = result.config();
  }
  return absl::OkStatus();
}

absl::Status ReadBoots(Transaction& tx, ReportData& data) {
  const int64_t job = data.job.job();
  BootsById by_id;
  const pqxx::result rows = tx.exec_params(SHAKEDOWN_BOOTS_OF_JOB, job);
  data.boots.reserve(rows.size());  // The map points into it.
  for (const pqxx::row& row : rows) {
    if (row["state"].as<std::string>() != "ended") continue;
    ReportBoot& boot = data.boots.emplace_back();
    FillBoot(job, row, boot.view);
    if (!row["result"].is_null()) RETURN_IF_ERROR(ReadProto(row["result"], boot.result));
    by_id[boot.view.attempt_id()] = &boot.result;
  }
  ReadLoadRuns(tx, RunsOfJob(job), by_id);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReportData> GetReportData(Database& database, int64_t job) {
  ASSIGN_OR_RETURN(v1::JobView view, GetJob(database, job));
  view.clear_boots();
  ReportData data;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    data = ReportData();
    data.job = view;
    RETURN_IF_ERROR(ReadVariants(tx, data));
    return ReadBoots(tx, data);
  }));
  return data;
}

absl::StatusOr<std::vector<v1::Series>> GetSeries(Database& database, const std::string& attempt_id,
                                                  uint32_t load) {
  RETURN_IF_ERROR(CheckUuid("attempt", attempt_id));
  std::vector<v1::Series> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT s.name, s.unit, s.step_ms, s.values FROM series s JOIN load_runs l ON l.id = "
        "s.load_run "
        "WHERE l.attempt_id = $1 AND l.load = $2 ORDER BY s.name",
        attempt_id, static_cast<int64_t>(load));
    for (const pqxx::row& row : rows) {
      v1::Series& series = all.emplace_back();
      series.set_name(row["name"].as<std::string>());
      series.set_unit(row["unit"].as<std::string>());
      series.set_step_ms(row["step_ms"].as<uint32_t>());
      for (double value : ReadDoubleArray(row["values"])) series.add_values(value);
    }
    return absl::OkStatus();
  }));
  return all;
}

absl::StatusOr<std::vector<v1::TopSnapshot>> GetTop(Database& database,
                                                    const std::string& attempt_id, uint32_t load) {
  RETURN_IF_ERROR(CheckUuid("attempt", attempt_id));
  v1::LoadRun run;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    run.Clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT t.snapshots FROM top_snapshots t JOIN load_runs l ON l.id = t.load_run "
        "WHERE l.attempt_id = $1 AND l.load = $2",
        attempt_id, static_cast<int64_t>(load));
    return rows.empty() ? absl::OkStatus() : ReadProto(rows[0]["snapshots"], run);
  }));
  return std::vector<v1::TopSnapshot>(run.top().begin(), run.top().end());
}

PastDuration PastBootsOf(Transaction& tx, const std::string& loads_key) {
  const pqxx::row row = tx.exec_params1(
      "SELECT coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds), 0) AS median, "
      "count(*) AS n, "
      "coalesce(mode() WITHIN GROUP (ORDER BY machine), '') AS machine FROM ("
      "SELECT extract(epoch FROM o.ended_at - o.leased_at)::double precision AS seconds, o.machine "
      "FROM boots o JOIN jobs j ON j.id = o.job "
      "WHERE j.loads_sha256 = $1 AND o.outcome = 'measured' ORDER BY o.ended_at DESC LIMIT 100) "
      "past",
      loads_key);
  return {row["median"].as<double>(), row["n"].as<uint32_t>(), row["machine"].as<std::string>()};
}

// Of kernels that were compiled: a package that is only fetched says nothing of those.
PastDuration PastBuildsOf(Transaction& tx) {
  constexpr size_t kMost = 20;
  const pqxx::result rows = tx.exec(
      "SELECT extract(epoch FROM ended_at - leased_at)::double precision AS seconds, resolved "
      "FROM builds WHERE state = 'built' AND NOT reused ORDER BY ended_at DESC LIMIT 100");
  std::vector<double> seconds;
  for (const pqxx::row& row : rows) {
    v1::ResolvedKernel resolved;
    if (!ReadProto(row["resolved"], resolved).ok()) continue;
    if (resolved.kernel().has_debian_image() || seconds.size() == kMost) continue;
    seconds.push_back(row["seconds"].as<double>());
  }
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const size_t half = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return {median, static_cast<uint32_t>(seconds.size()), ""};
}

absl::StatusOr<PastDuration> PastBoots(Database& database,
                                       const google::protobuf::RepeatedPtrField<v1::Load>& loads) {
  PastDuration past;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    past = PastBootsOf(tx, LoadsKey(loads));
    return absl::OkStatus();
  }));
  return past;
}

absl::StatusOr<PastDuration> PastBuilds(Database& database) {
  PastDuration past;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    past = PastBuildsOf(tx);
    return absl::OkStatus();
  }));
  return past;
}

}  // namespace shakedown::store
