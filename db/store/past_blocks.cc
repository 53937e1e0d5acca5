#include "db/store/past_blocks.h"

#include "db/store/loads_key.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

void ReadControls(Transaction& tx, const std::string& key, const std::string& metrics,
                  const std::string& machines, PastSpread& past) {
  const pqxx::result rows = tx.exec_params(
      "SELECT m.job, m.machine, m.load, m.metric, m.blocks, m.sd FROM control_metrics m "
      "JOIN (SELECT DISTINCT job FROM controls WHERE loads_sha256 = $1 ORDER BY job DESC LIMIT 20) "
      "c USING (job) WHERE m.metric = ANY ($2::text[]) AND m.machine = ANY ($3::text[]) "
      "AND m.sd IS NOT NULL ORDER BY m.job, m.machine, m.load, m.metric",
      key, metrics, machines);
  for (const pqxx::row& row : rows) {
    past.controls.push_back({row["job"].as<int64_t>(), row["machine"].as<std::string>(),
                             row["load"].as<uint32_t>(), row["metric"].as<std::string>(),
                             row["blocks"].as<uint32_t>(), row["sd"].as<double>()});
  }
}

void ReadBlocks(Transaction& tx, const std::string& key, const std::string& metrics,
                const std::string& machines, PastSpread& past) {
  const pqxx::result rows = tx.exec_params(
      "WITH boot_values AS ("
      "SELECT o.job, o.block, o.variant, o.machine, l.load, m.metric, "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) AS value "
      "FROM (SELECT id FROM jobs WHERE loads_sha256 = $1 ORDER BY id DESC LIMIT 20) j "
      "JOIN boots o ON o.job = j.id JOIN load_runs l USING (attempt_id) "
      "JOIN measurements m ON m.load_run = l.id "
      "WHERE o.outcome = 'measured' AND NOT m.warmup AND m.metric = ANY ($2::text[]) "
      "AND o.machine = ANY ($3::text[]) "
      "GROUP BY o.job, o.block, o.variant, o.machine, l.load, m.metric) "
      "SELECT a.job, b.variant, a.machine, a.load, a.metric, a.value AS base, b.value AS other "
      "FROM boot_values a JOIN boot_values b USING (job, block, machine, load, metric) "
      "WHERE a.variant = 0 AND b.variant > 0 "
      "ORDER BY a.job, b.variant, a.machine, a.load, a.metric, a.block",
      key, metrics, machines);
  for (const pqxx::row& row : rows) {
    past.blocks.push_back({row["job"].as<int64_t>(), row["variant"].as<uint32_t>(),
                           row["machine"].as<std::string>(), row["load"].as<uint32_t>(),
                           row["metric"].as<std::string>(), row["base"].as<double>(),
                           row["other"].as<double>()});
  }
}

}  // namespace

absl::StatusOr<PastSpread> PastSpreadOf(Database& database,
                                        const google::protobuf::RepeatedPtrField<v1::Load>& loads,
                                        const std::vector<std::string>& metrics,
                                        const std::vector<std::string>& machines) {
  PastSpread past;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    past = PastSpread();
    const std::string key = LoadsKey(loads);
    ReadControls(tx, key, TextArray(metrics), TextArray(machines), past);
    ReadBlocks(tx, key, TextArray(metrics), TextArray(machines), past);
    return absl::OkStatus();
  }));
  return past;
}

}  // namespace shakedown::store
