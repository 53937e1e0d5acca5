#include "db/store/boot_details.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "db/store/load_runs.h"
#include "db/store/reports.h"
#include "db/store/sql.h"
#include "db/store/views.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// The rows of one boot, its attempts in order; the last that fits is the one.
absl::Status ReadAttempts(Transaction& tx, const BootName& name, BootDetails& details) {
  bool found = false;
  for (const pqxx::row& row : tx.exec_params(SHAKEDOWN_BOOTS_OF_JOB, name.job)) {
    if (row["block"].as<uint32_t>() != name.block ||
        row["variant"].as<uint32_t>() != name.variant) {
      continue;
    }
    v1::BootView view;
    FillBoot(name.job, row, view);
    details.attempts.push_back(view.name());
    if (name.attempt != 0 && view.attempt() != name.attempt) continue;
    found = true;
    details.view = view;
    details.result.Clear();
    if (!row["result"].is_null()) RETURN_IF_ERROR(ReadProto(row["result"], details.result));
  }
  if (found) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("boot ", FormatBootName(name), ": no such boot"));
}

void ReadOutputs(Transaction& tx, const std::string& attempt_id, v1::BootResult& result) {
  std::map<uint32_t, v1::LoadRun*> runs;
  for (v1::LoadRun& run : *result.mutable_load_runs()) runs[run.load()] = &run;
  for (const pqxx::row& row :
       tx.exec_params("SELECT load, output FROM load_runs WHERE attempt_id = $1", attempt_id)) {
    const auto run = runs.find(row["load"].as<uint32_t>());
    if (run != runs.end()) run->second->set_output(row["output"].as<std::string>());
  }
}

absl::Status ReadLive(Transaction& tx, BootDetails& details) {
  if (details.view.state() != v1::WORK_STATE_RUNNING) return absl::OkStatus();
  const pqxx::result rows =
      tx.exec_params("SELECT telemetry FROM machine_live WHERE machine = $1 AND attempt_id = $2",
                     details.view.machine(), details.view.attempt_id());
  return rows.empty() ? absl::OkStatus() : ReadProto(rows[0][0], details.live.emplace());
}

}  // namespace

absl::StatusOr<BootDetails> GetBootDetails(Database& database, const BootName& name) {
  BootDetails details;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    details = BootDetails();
    RETURN_IF_ERROR(ReadAttempts(tx, name, details));
    const std::string& id = details.view.attempt_id();
    ReadLoadRuns(tx, RunsOfAttempt(id), {{id, &details.result}});
    ReadOutputs(tx, id, details.result);
    return ReadLive(tx, details);
  }));
  for (v1::LoadRun& run : *details.result.mutable_load_runs()) {
    ASSIGN_OR_RETURN(const std::vector<v1::Series> series,
                     GetSeries(database, details.view.attempt_id(), run.load()));
    run.mutable_series()->Assign(series.begin(), series.end());
    ASSIGN_OR_RETURN(const std::vector<v1::TopSnapshot> top,
                     GetTop(database, details.view.attempt_id(), run.load()));
    run.mutable_top()->Assign(top.begin(), top.end());
  }
  return details;
}

}  // namespace shakedown::store
