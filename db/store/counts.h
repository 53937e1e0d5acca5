// How many of what there are: for metrics.
#ifndef SHAKEDOWN_DB_STORE_COUNTS_H_
#define SHAKEDOWN_DB_STORE_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::store {

struct FarmCounts {
  std::map<std::string, int64_t> jobs;      // By state.
  std::map<std::string, int64_t> boots;     // By state, those that have ended by outcome.
  std::map<std::string, int64_t> builds;    // By state.
  std::map<std::string, int64_t> machines;  // By state, as in MachineView.
  int64_t agents = 0;
  int64_t agents_online = 0;
};

// Reads each table once (of boots 10^6 rows in about 0.1 s): call it seldom.
absl::StatusOr<FarmCounts> CountFarm(Database& database);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_COUNTS_H_
