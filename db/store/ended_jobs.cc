#include "db/store/ended_jobs.h"

#include <string>

#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// A timestamptz parameter.
std::string TimeParameter(absl::Time time) {
  if (time == absl::InfinitePast()) return "-infinity";
  if (time == absl::InfiniteFuture()) return "infinity";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> JobsEndedBetween(Database& database, absl::Time since,
                                                      absl::Time until, int64_t after, int limit) {
  std::vector<int64_t> jobs;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    jobs.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT id FROM jobs WHERE id > $1 AND ended_at >= $2::timestamptz AND ended_at < "
        "$3::timestamptz ORDER BY id LIMIT $4",
        after, TimeParameter(since), TimeParameter(until), limit);
    for (const pqxx::row& row : rows) jobs.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  return jobs;
}

}  // namespace shakedown::store
