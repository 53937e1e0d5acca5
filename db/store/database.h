// The farm's memory: a pool of PostgreSQL connections. libpqxx stops in this folder.
#ifndef SHAKEDOWN_DB_STORE_DATABASE_H_
#define SHAKEDOWN_DB_STORE_DATABASE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace shakedown::store {

struct DatabaseOptions {
  // libpq's: "host=/run/shakedown/pg dbname=shakedown user=shakedown", or a URI.
  std::string conninfo;
  // Open at one time, at most. More callers than that wait in turn.
  size_t connections = 8;
  // How long a caller waits for its turn, and a connection attempt for the server. Then
  // Unavailable.
  absl::Duration wait = absl::Seconds(5);
  // A statement that runs longer is ended by the server (never a COMMIT). Then DeadlineExceeded.
  absl::Duration statement_limit = absl::Seconds(30);
};

// Thread-safe: every function of this folder takes one by reference and may be called from any
// thread. Each function is one short transaction. Errors that all of them share:
//   Unavailable: the server is stopped, restarting or out of connections; later calls work again.
//   Unknown: the answer to COMMIT was lost, so it may have landed. Every writing function of this
//     folder may simply be called again with the same arguments.
//   Aborted: lost a race several times over; call again.
//   Internal: a defect; names the SQL.
class Database {
 public:
  // Connects once, so that a wrong conninfo is found at the start.
  static absl::StatusOr<std::unique_ptr<Database>> Open(DatabaseOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One round trip to the server: OK, or why not.
  absl::Status Ping();

  const DatabaseOptions& options() const;

  // For the files of this folder only (pool.h).
  class Pool;
  Pool& pool() { return *pool_; }

 private:
  explicit Database(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool_;
};

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_DATABASE_H_
