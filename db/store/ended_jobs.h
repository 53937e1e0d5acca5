#ifndef SHAKEDOWN_DB_STORE_ENDED_JOBS_H_
#define SHAKEDOWN_DB_STORE_ENDED_JOBS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/database.h"

namespace shakedown::store {

// Jobs above `after` that ended in [since, until), which may be infinite: the `limit` lowest,
// ascending.
absl::StatusOr<std::vector<int64_t>> JobsEndedBetween(Database& database, absl::Time since,
                                                      absl::Time until, int64_t after, int limit);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_ENDED_JOBS_H_
