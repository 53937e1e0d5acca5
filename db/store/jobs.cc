#include "db/store/jobs.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "db/store/past.h"
#include "db/store/settle.h"
#include "db/store/sql.h"
#include "db/store/views.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

#define SHAKEDOWN_JOB_COLUMNS                                                             \
  "SELECT id, state, spec, plan, submitter, loads_sha256, end_reason, " SHAKEDOWN_MICROS( \
      "submitted_at") " AS submitted, " SHAKEDOWN_MICROS("ended_at") " AS ended FROM jobs "

absl::Status NoSuchJob(int64_t job) {
  return absl::NotFoundError(absl::StrCat("job ", job, ": no such job"));
}

absl::Status FillJob(const pqxx::row& row, v1::JobView& view) {
  view.set_job(row["id"].as<int64_t>());
  view.set_state(JobStateOf(row["state"].as<std::string>()));
  view.set_submitter(row["submitter"].as<std::string>());
  view.set_end_reason(row["end_reason"].as<std::string>());
  *view.mutable_submitted() = ReadTime(row["submitted"]);
  if (!row["ended"].is_null()) *view.mutable_ended() = ReadTime(row["ended"]);
  return ReadProto(row["spec"], *view.mutable_spec());
}

void FillLooks(Transaction& tx, v1::JobView& view) {
  const pqxx::result rows =
      tx.exec_params("SELECT look, after_blocks, decision, text, " SHAKEDOWN_MICROS(
                         "at") " AS at FROM job_looks WHERE job = $1 ORDER BY look",
                     view.job());
  for (const pqxx::row& row : rows) {
    v1::LookView& look = *view.add_looks();
    look.set_look(row["look"].as<uint32_t>());
    look.set_after_blocks(row["after_blocks"].as<uint32_t>());
    look.set_decision(row["decision"].as<std::string>());
    look.set_text(row["text"].as<std::string>());
    *look.mutable_at() = ReadTime(row["at"]);
  }
  if (view.state() != v1::JOB_STATE_ACTIVE) return;
  view.set_next_look(static_cast<uint32_t>(
      std::count_if(view.plan().blocks().begin(), view.plan().blocks().end(),
                    [](const v1::PlannedBlock& block) { return block.replaces() == 0; })));
}

// Seconds until the job ends, were all its machines and one builder to go on as in the past; 0: no
// past to tell from.
uint64_t Remaining(Transaction& tx, const v1::JobView& view, const std::string& loads_key) {
  double boots = 0, builds = 0;
  std::set<std::string> machines;
  for (const v1::BootView& boot : view.boots()) {
    if (boot.state() == v1::WORK_STATE_ENDED) continue;
    boots += 1.0 - std::clamp(boot.progress(), 0.0f, 1.0f);
    if (!boot.machine().empty()) machines.insert(boot.machine());
  }
  for (const v1::BuildView& build : view.builds()) {
    if (build.state() != v1::WORK_STATE_ENDED) {
      builds += 1.0 - std::clamp(build.progress(), 0.0f, 1.0f);
    }
  }
  const PastDuration boot = PastBootsOf(tx, loads_key);
  const PastDuration build = builds > 0 ? PastBuildsOf(tx) : PastDuration();
  if ((boots > 0 && boot.n == 0) || (builds > 0 && build.n == 0)) return 0;
  const auto parallel = static_cast<double>(std::max<size_t>(machines.size(), 1));
  return static_cast<uint64_t>(boots * boot.median_s / parallel + builds * build.median_s + 0.5);
}

}  // namespace

absl::StatusOr<v1::JobView> GetJob(Database& database, int64_t job) {
  v1::JobView view;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    view.Clear();
    const pqxx::result found = tx.exec_params(SHAKEDOWN_JOB_COLUMNS "WHERE id = $1", job);
    if (found.empty()) return NoSuchJob(job);
    RETURN_IF_ERROR(FillJob(found[0], view));
    RETURN_IF_ERROR(ReadProto(found[0]["plan"], *view.mutable_plan()));
    FillLooks(tx, view);
    ASSIGN_OR_RETURN(const std::vector<v1::BuildView> builds,
                     ReadBuilds(tx,
                                "JOIN (SELECT build, min(variant) AS first FROM variants WHERE job "
                                "= $1 GROUP BY build) v "
                                "ON v.build = b.id ORDER BY v.first",
                                job));
    for (const v1::BuildView& build : builds) *view.add_builds() = build;
    for (const pqxx::row& row : tx.exec_params(SHAKEDOWN_BOOTS_OF_JOB, job)) {
      FillBoot(job, row, *view.add_boots());
    }
    if (view.state() == v1::JOB_STATE_ACTIVE) {
      view.set_remaining_s(Remaining(tx, view, found[0]["loads_sha256"].as<std::string>()));
    }
    return absl::OkStatus();
  }));
  return view;
}

absl::StatusOr<int64_t> JobVersion(Database& database, int64_t job) {
  int64_t version = 0;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found = tx.exec_params("SELECT version FROM jobs WHERE id = $1", job);
    if (found.empty()) return NoSuchJob(job);
    version = found[0][0].as<int64_t>();
    return absl::OkStatus();
  }));
  return version;
}

absl::StatusOr<std::vector<v1::JobView>> ListJobs(Database& database, uint32_t limit,
                                                  int64_t before_job) {
  std::vector<v1::JobView> jobs;
  const int64_t most = limit == 0 ? 50 : std::min<uint32_t>(limit, 1000);
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    jobs.clear();
    const pqxx::result rows =
        tx.exec_params(SHAKEDOWN_JOB_COLUMNS "WHERE $1 <= 0 OR id < $1 ORDER BY id DESC LIMIT $2",
                       before_job, most);
    for (const pqxx::row& row : rows) RETURN_IF_ERROR(FillJob(row, jobs.emplace_back()));
    return absl::OkStatus();
  }));
  return jobs;
}

absl::Status CancelJob(Database& database, int64_t job) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    // Builds before the job, as everywhere. Which builds a job has never changes.
    tx.exec_params(
        "SELECT id FROM builds WHERE id IN (SELECT build FROM variants WHERE job = $1) "
        "AND state IN ('queued', 'running') ORDER BY id FOR NO KEY UPDATE",
        job);
    const pqxx::result found =
        tx.exec_params("SELECT state FROM jobs WHERE id = $1 FOR NO KEY UPDATE", job);
    if (found.empty()) return NoSuchJob(job);
    if (found[0][0].as<std::string>() != "active") return absl::OkStatus();
    tx.exec_params("UPDATE jobs SET cancel_requested = true WHERE id = $1", job);
    tx.exec_params(
        "UPDATE boots SET state = 'ended', outcome = 'cancelled', ended_at = now() "
        "WHERE job = $1 AND state IN ('waiting', 'queued')",
        job);
    // Those that were leased a moment ago are seen here, in the next statement's snapshot.
    tx.exec_params("UPDATE boots SET cancel_requested = true WHERE job = $1 AND state = 'running'",
                   job);
    tx.exec_params(
        "UPDATE builds SET state = 'cancelled', ended_at = now() "
        "WHERE id IN (SELECT build FROM variants WHERE job = $1) AND state IN ('queued', "
        "'running') "
        "AND NOT EXISTS (SELECT FROM variants v JOIN jobs j ON j.id = v.job "
        "WHERE v.build = builds.id AND j.state = 'active' AND NOT j.cancel_requested)",
        job);
    SettleJob(tx, job);
    Notify(tx);
    return absl::OkStatus();
  });
}

}  // namespace shakedown::store
