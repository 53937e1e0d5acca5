#include "db/store/migrate.h"

#include "absl/strings/str_cat.h"
#include "db/store/pool.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int64_t kLock = 0x5348414B45444F57;  // "SHAKEDOW": one migrating controller at a time.

absl::Status CheckLanded(const pqxx::row& row, const std::vector<Migration>& migrations) {
  const auto version = row["version"].as<size_t>();
  const auto name = row["name"].as<std::string>();
  if (version > migrations.size()) {
    return absl::FailedPreconditionError(absl::StrCat("database: has migration ", name,
                                                      ", this program knows ", migrations.size(),
                                                      "; a newer program is wanted"));
  }
  const Migration& known = migrations[version - 1];
  const std::string digest = Sha256Hex(known.sql);
  if (known.name != name || digest != row["sha256"].as<std::string>()) {
    return absl::FailedPreconditionError(
        absl::StrCat("migration ", known.name, ": was changed after it landed in the database as ",
                     name, " (", row["sha256"].as<std::string>().substr(0, 12), ", now ",
                     digest.substr(0, 12), "); landed files are never edited"));
  }
  return absl::OkStatus();
}

// Applies the first one that is missing. False: none is.
absl::StatusOr<bool> Step(Transaction& tx, const std::vector<Migration>& migrations) {
  tx.exec("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '2min'");
  tx.exec_params("SELECT pg_advisory_xact_lock($1)", kLock);
  tx.exec(
      "CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT "
      "NULL, "
      "sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())");
  const pqxx::result landed =
      tx.exec("SELECT version, name, sha256 FROM schema_migrations ORDER BY version");
  for (const pqxx::row& row : landed) RETURN_IF_ERROR(CheckLanded(row, migrations));
  const size_t next = landed.size();
  if (next == migrations.size()) return false;
  const Migration& migration = migrations[next];
  tx.exec(migration.sql);
  tx.exec_params("INSERT INTO schema_migrations (version, name, sha256) VALUES ($1, $2, $3)",
                 migration.version, migration.name, Sha256Hex(migration.sql));
  return true;
}

}  // namespace

absl::StatusOr<int> Migrate(Database& database, const std::vector<Migration>& migrations) {
  for (int applied = 0;; ++applied) {
    bool more = false;
    RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
      ASSIGN_OR_RETURN(more, Step(tx, migrations));
      return absl::OkStatus();
    }));
    if (!more) return applied;
  }
}

}  // namespace shakedown::store
