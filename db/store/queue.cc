#include "db/store/queue.h"

#include <algorithm>
#include <map>

#include "db/store/past.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::store {
namespace {

// `position` counts every active job before it, also those of an earlier page.
constexpr char kEntries[] =
    "SELECT * FROM (SELECT j.id, j.spec, j.submitter, j.machine_names, j.machine_tags, "
    "j.loads_sha256, row_number() OVER (ORDER BY j.id) AS position, " SHAKEDOWN_MICROS(
        "j.submitted_at") " AS submitted FROM jobs j WHERE j.state = 'active') q "
    "JOIN LATERAL (SELECT count(*) FILTER (WHERE o.state = 'running') AS running, "
    "count(*) FILTER (WHERE o.state = 'queued') AS queued, "
    "count(*) FILTER (WHERE o.state = 'waiting') AS waiting "
    "FROM boots o WHERE o.job = q.id AND o.state <> 'ended') c ON true "
    "JOIN LATERAL (SELECT coalesce(array_agg(DISTINCT b.kernel), '{}') AS builds FROM variants v "
    "JOIN builds b ON b.id = v.build WHERE v.job = q.id AND b.state IN ('queued', 'running')) w ON true "
    "WHERE q.id > $1 ORDER BY q.id LIMIT $2";

absl::Status FillEntry(const pqxx::row& row, v1::QueueEntry& entry) {
  v1::JobSpec spec;
  RETURN_IF_ERROR(ReadProto(row["spec"], spec));
  entry.set_job(row["id"].as<int64_t>());
  entry.set_position(row["position"].as<uint32_t>());
  entry.set_title(spec.title());
  entry.set_submitter(row["submitter"].as<std::string>());
  *entry.mutable_submitted() = ReadTime(row["submitted"]);
  entry.set_running(row["running"].as<uint32_t>());
  entry.set_queued(row["queued"].as<uint32_t>());
  entry.set_waiting(row["waiting"].as<uint32_t>());
  for (const std::string& kernel : ReadTextArray(row["builds"])) entry.add_builds(kernel);
  for (const std::string& name : ReadTextArray(row["machine_names"])) entry.add_machines(name);
  for (const std::string& tag : ReadTextArray(row["machine_tags"])) entry.add_tags(tag);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<v1::QueueEntry>> ListQueue(Database& database, uint32_t limit,
                                                      int64_t after) {
  std::vector<v1::QueueEntry> entries;
  const int64_t most = limit == 0 ? 100 : std::min<uint32_t>(limit, 1000);
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    entries.clear();
    std::map<std::string, PastDuration> past;  // Many jobs have the same loads.
    for (const pqxx::row& row : tx.exec_params(kEntries, after, most)) {
      v1::QueueEntry& entry = entries.emplace_back();
      RETURN_IF_ERROR(FillEntry(row, entry));
      const auto loads = row["loads_sha256"].as<std::string>();
      auto known = past.find(loads);
      if (known == past.end()) known = past.emplace(loads, PastBootsOf(tx, loads)).first;
      const double boots = entry.running() + entry.queued() + entry.waiting();
      entry.set_remaining_s(static_cast<uint64_t>(boots * known->second.median_s + 0.5));
    }
    return absl::OkStatus();
  }));
  return entries;
}

}  // namespace shakedown::store
