// Brings a database to this program's schema. The files of db/migrations are part of the library.
#ifndef SHAKEDOWN_DB_STORE_MIGRATE_H_
#define SHAKEDOWN_DB_STORE_MIGRATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::store {

struct Migration {
  int version = 0;   // Its place in the order of the names, from 1.
  std::string name;  // "0001_farm.sql".
  std::string sql;
};

// db/migrations as it was when this program was built, in order.
const std::vector<Migration>& BuiltInMigrations();

// Applies what is missing, in order, each in its own transaction, under an advisory lock: any
// number of controllers may start at once. Returns how many were applied. FailedPrecondition,
// naming the file: a landed migration was changed since, or the database has one that this program
// does not know (it is older than the database).
absl::StatusOr<int> Migrate(Database& database,
                            const std::vector<Migration>& migrations = BuiltInMigrations());

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_MIGRATE_H_
