// How long things took before, inside a transaction. reports.h offers it outside.
#ifndef SHAKEDOWN_DB_STORE_PAST_H_
#define SHAKEDOWN_DB_STORE_PAST_H_

#include <string>

#include "db/store/pool.h"
#include "db/store/reports.h"

namespace shakedown::store {

PastDuration PastBootsOf(Transaction& tx, const std::string& loads_key);
PastDuration PastBuildsOf(Transaction& tx);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_PAST_H_
