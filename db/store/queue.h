// The queue as people see it: active jobs in the order in which they are served.
#ifndef SHAKEDOWN_DB_STORE_QUEUE_H_
#define SHAKEDOWN_DB_STORE_QUEUE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/detail.pb.h"

namespace shakedown::store {

// All of an entry but reason and starts_in_s. Lowest job first, those above `after`; at most
// `limit` (0: 100).
absl::StatusOr<std::vector<v1::QueueEntry>> ListQueue(Database& database, uint32_t limit,
                                                      int64_t after);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_QUEUE_H_
