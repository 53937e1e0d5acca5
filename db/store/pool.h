// Connections and transactions for the files of this folder. The only header that shows libpqxx.
#ifndef SHAKEDOWN_DB_STORE_POOL_H_
#define SHAKEDOWN_DB_STORE_POOL_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::store {

class Database::Pool {
 public:
  explicit Pool(DatabaseOptions options) : options_(std::move(options)) {}

  // A connection of the caller's own until Give(). A pooled one that the server has closed
  // meanwhile is not given out. Unavailable after options.wait.
  absl::StatusOr<std::unique_ptr<pqxx::connection>> Take();
  // `sound` false: it broke, so the idle ones are suspect and closed too.
  void Give(std::unique_ptr<pqxx::connection> connection, bool sound);

  const DatabaseOptions& options() const { return options_; }

 private:
  std::unique_ptr<pqxx::connection> TakeIdle();

  const DatabaseOptions options_;
  std::mutex mutex_;
  std::condition_variable given_;
  size_t out_ = 0;
  std::vector<std::unique_ptr<pqxx::connection>> idle_;
};

using Transaction = pqxx::transaction_base;
// Returns an error to roll back with that error. May be called again after a deadlock or a broken
// read: it must set its results anew each time.
using Body = absl::FunctionRef<absl::Status(Transaction&)>;

// Runs `body` in a READ COMMITTED transaction and commits. Errors as database.h says.
absl::Status Write(Database& database, Body body);

// Runs `body` on one read-only snapshot; again on a new connection when the first one broke.
absl::Status Read(Database& database, Body body);

// Tells every Listener, at commit. A hint; the server sends it once however often it is asked for.
void Notify(Transaction& tx);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_POOL_H_
