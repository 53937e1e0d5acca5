// Opens one connection the way this folder wants it.
#ifndef SHAKEDOWN_DB_STORE_CONNECT_H_
#define SHAKEDOWN_DB_STORE_CONNECT_H_

#include <memory>
#include <pqxx/pqxx>

#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::store {

// Never re-opens itself behind our back, speaks UTF-8 and UTC, and bounds statements, locks and
// idle transactions. Unavailable within options.wait or so. InvalidArgument: a conninfo that can
// not be read (not repeated: it may hold a password).
absl::StatusOr<std::unique_ptr<pqxx::connection>> Connect(const DatabaseOptions& options);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_CONNECT_H_
