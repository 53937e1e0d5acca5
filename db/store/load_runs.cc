#include "db/store/load_runs.h"

#include "absl/strings/str_cat.h"
#include "db/store/histograms.h"
#include "db/store/sql.h"

namespace shakedown::store {

void ReadLoadRuns(Transaction& tx, const RunScope& scope, const BootsById& boots) {
  std::map<int64_t, v1::LoadRun*> runs;
  const pqxx::result rows = tx.exec_params(
      absl::StrCat("SELECT l.id, l.attempt_id, l.load, l.duration_ms, l.warnings, l.tool_version "
                   "FROM load_runs l JOIN boots o USING (attempt_id) WHERE ",
                   scope.where, " ORDER BY l.attempt_id, l.load"),
      scope.value);
  for (const pqxx::row& row : rows) {
    v1::LoadRun* run = boots.at(row["attempt_id"].as<std::string>())->add_load_runs();
    run->set_load(row["load"].as<uint32_t>());
    run->set_duration_ms(row["duration_ms"].as<uint64_t>());
    for (const std::string& warning : ReadTextArray(row["warnings"])) run->add_warnings(warning);
    run->set_tool_version(row["tool_version"].as<std::string>());
    runs[row["id"].as<int64_t>()] = run;
  }
  const pqxx::result disturbed = tx.exec_params(
      absl::StrCat("SELECT d.load_run, d.rule, d.fact FROM disturbances d JOIN load_runs l ON l.id "
                   "= d.load_run JOIN boots o USING (attempt_id) WHERE ",
                   scope.where, " ORDER BY d.load_run, d.ordinal"),
      scope.value);
  for (const pqxx::row& row : disturbed) {
    v1::Disturbance* disturbance = runs.at(row["load_run"].as<int64_t>())->add_disturbances();
    disturbance->set_rule(row["rule"].as<std::string>());
    disturbance->set_fact(row["fact"].as<std::string>());
  }
  const pqxx::result numbers = tx.exec_params(
      absl::StrCat(
          "SELECT m.load_run, m.metric, m.iteration, m.warmup, m.value, m.unit FROM measurements m "
          "JOIN load_runs l ON l.id = m.load_run JOIN boots o USING (attempt_id) WHERE ",
          scope.where, " ORDER BY m.load_run, m.ordinal"),
      scope.value);
  for (const pqxx::row& row : numbers) {
    v1::Measurement* m = runs.at(row["load_run"].as<int64_t>())->add_measurements();
    m->set_metric(row["metric"].as<std::string>());
    m->set_iteration(row["iteration"].as<uint32_t>());
    m->set_warmup(row["warmup"].as<bool>());
    m->set_value(row["value"].as<double>());
    m->set_unit(row["unit"].as<std::string>());
  }
  ReadHistograms(tx, scope, runs);
}

}  // namespace shakedown::store
