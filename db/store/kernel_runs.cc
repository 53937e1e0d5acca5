#include "db/store/kernel_runs.h"

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

absl::Status CheckCount(size_t rows) {
  if (rows <= static_cast<size_t>(kMostRuns)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "more than ", kMostRuns, " numbers: ask for fewer metrics (--metric PREFIX) or kernels"));
}

void ReadImported(Transaction& tx, const RunsQuery& query, std::vector<ImportedRun>& runs) {
  const pqxx::result rows = tx.exec_params(
      "SELECT v.import, n.kernel, n.tunables, v.metric, v.detail, v.unit, max(v.direction), v.run, "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY v.value), bool_or(v.starred) "
      "FROM imports i JOIN import_variants n ON n.import = i.id "
      "JOIN import_values v ON v.import = n.import AND v.variant = n.variant "
      "WHERE i.machine = $1 AND n.kernel = ANY ($2::text[]) AND starts_with(v.metric, $3) "
      "AND NOT v.warmup AND i.withdrawn_at IS NULL "
      "GROUP BY v.import, n.kernel, n.tunables, v.metric, v.detail, v.unit, v.run "
      "ORDER BY v.import, min(v.ordinal) LIMIT $4 + 1",
      Text(query.machine), TextArray(query.kernels), Text(query.metric), kMostRuns);
  runs.reserve(rows.size());
  for (const pqxx::row& row : rows) {
    ImportedRun& run = runs.emplace_back();
    run.import = row[0].as<int64_t>();
    run.kernel = row[1].as<std::string>();
    run.tunables = row[2].as<std::string>();
    run.metric = row[3].as<std::string>();
    run.detail = row[4].as<std::string>();
    run.unit = row[5].as<std::string>();
    run.direction = row[6].as<std::string>();
    run.run = row[7].as<uint32_t>();
    run.value = row[8].as<double>();
    run.starred = row[9].as<bool>();
  }
}

// The newest measured boots of each kernel, without those of blocks that were repeated; `boots` is
// how many there were.
#define SHAKEDOWN_NEWEST_BOOTS                                                                 \
  "SELECT * FROM (SELECT o.attempt_id, o.job, o.block, o.variant, o.attempt, a.kernel, "       \
  "row_number() OVER newest AS place, count(*) OVER (PARTITION BY a.kernel) AS boots "         \
  "FROM boots o JOIN variants a ON a.job = o.job AND a.variant = o.variant "                   \
  "WHERE o.machine = $1 AND o.outcome = 'measured' AND a.kernel = ANY ($2::text[]) "           \
  "AND NOT EXISTS (SELECT FROM blocks r WHERE r.job = o.job AND r.replaces = o.block) "        \
  "WINDOW newest AS (PARTITION BY a.kernel ORDER BY o.ended_at DESC, o.attempt_id)) measured " \
  "WHERE place <= $3"

void ReadFarm(Transaction& tx, const RunsQuery& query, FarmRuns& farm) {
  const pqxx::result rows = tx.exec_params(
      "SELECT b.job, b.block, b.variant, b.attempt, b.kernel, b.boots, l.load, m.metric, m.unit, "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) "
      "FROM (" SHAKEDOWN_NEWEST_BOOTS
      ") b JOIN load_runs l ON l.attempt_id = b.attempt_id "
      "JOIN measurements m ON m.load_run = l.id "
      "WHERE NOT m.warmup AND starts_with(m.metric, $4) "
      "GROUP BY b.job, b.block, b.variant, b.attempt, b.kernel, b.boots, l.load, m.metric, m.unit "
      "ORDER BY b.job, b.block, b.variant, l.load, min(m.ordinal) LIMIT $5 + 1",
      Text(query.machine), TextArray(query.kernels), kMostBoots, Text(query.metric), kMostRuns);
  farm.runs.reserve(rows.size());
  for (const pqxx::row& row : rows) {
    FarmRun& run = farm.runs.emplace_back();
    run.job = row[0].as<int64_t>();
    run.variant = row[2].as<uint32_t>();
    run.boot = FormatBootName({run.job, row[1].as<uint32_t>(), run.variant, row[3].as<uint32_t>()});
    run.kernel = row[4].as<std::string>();
    if (row[5].as<int64_t>() > kMostBoots) farm.cut.insert(run.kernel);
    run.load = row[6].as<uint32_t>();
    run.metric = row[7].as<std::string>();
    run.unit = row[8].as<std::string>();
    run.value = row[9].as<double>();
    farm.jobs[run.job];
  }
}

absl::Status ReadSpecs(Transaction& tx, FarmRuns& farm) {
  std::vector<int64_t> ids;
  for (const auto& [job, spec] : farm.jobs) ids.push_back(job);
  for (const pqxx::row& row :
       tx.exec_params("SELECT id, spec FROM jobs WHERE id = ANY ($1::bigint[])", Int64Array(ids))) {
    RETURN_IF_ERROR(ReadProto(row[1], farm.jobs[row[0].as<int64_t>()]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ImportedRun>> ImportedRuns(Database& database, const RunsQuery& query) {
  std::vector<ImportedRun> runs;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    runs.clear();
    ReadImported(tx, query, runs);
    return CheckCount(runs.size());
  }));
  return runs;
}

absl::StatusOr<FarmRuns> MeasuredRuns(Database& database, const RunsQuery& query) {
  FarmRuns farm;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    farm = FarmRuns();
    ReadFarm(tx, query, farm);
    RETURN_IF_ERROR(CheckCount(farm.runs.size()));
    return ReadSpecs(tx, farm);
  }));
  return farm;
}

absl::StatusOr<std::vector<ImportFacts>> FactsOfImports(Database& database,
                                                        const RunsQuery& query) {
  std::vector<ImportFacts> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all.clear();
    std::map<int64_t, std::map<std::string, std::string>> facts;
    for (const pqxx::row& row : tx.exec_params(
             "SELECT i.id, f.key, f.value FROM imports i, jsonb_each_text(i.facts) f WHERE "
             "i.machine = $1 AND i.withdrawn_at IS NULL AND EXISTS (SELECT FROM import_variants n "
             "WHERE n.import = i.id AND "
             "n.kernel = ANY ($2::text[]))",
             Text(query.machine), TextArray(query.kernels))) {
      facts[row[0].as<int64_t>()][row[1].as<std::string>()] = row[2].as<std::string>();
    }
    for (const pqxx::row& row : tx.exec_params(
             "SELECT DISTINCT i.id, n.kernel, n.tunables, i.format, i.source FROM imports i JOIN "
             "import_variants n ON n.import = i.id WHERE i.machine = $1 AND n.kernel = ANY "
             "($2::text[]) AND i.withdrawn_at IS NULL ORDER BY i.id, n.kernel, n.tunables",
             Text(query.machine), TextArray(query.kernels))) {
      ImportFacts& one = all.emplace_back();
      one.import = row[0].as<int64_t>();
      one.kernel = row[1].as<std::string>();
      one.tunables = row[2].as<std::string>();
      one.format = row[3].as<std::string>();
      one.source = row[4].as<std::string>();
      one.facts = facts[one.import];
    }
    return absl::OkStatus();
  }));
  return all;
}

absl::StatusOr<std::vector<std::string>> MachinesWith(Database& database,
                                                      const std::string& kernel) {
  std::vector<std::string> machines;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    machines.clear();
    for (const pqxx::row& row : tx.exec_params(
             "SELECT i.machine FROM imports i JOIN import_variants n ON n.import = i.id WHERE "
             "n.kernel = $1 AND i.withdrawn_at IS NULL UNION SELECT o.machine FROM boots o JOIN "
             "variants a ON a.job = o.job "
             "AND a.variant = o.variant WHERE a.kernel = $1 AND o.outcome = 'measured' "
             "ORDER BY 1 LIMIT 100",
             Text(kernel))) {
      machines.push_back(row[0].as<std::string>());
    }
    return absl::OkStatus();
  }));
  return machines;
}

}  // namespace shakedown::store
