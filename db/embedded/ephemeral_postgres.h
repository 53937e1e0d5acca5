// A PostgreSQL for one test program: real, empty, gone afterwards.
#ifndef SHAKEDOWN_DB_EMBEDDED_EPHEMERAL_POSTGRES_H_
#define SHAKEDOWN_DB_EMBEDDED_EPHEMERAL_POSTGRES_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/embedded/server.h"

namespace shakedown::embedded {

// One server in a new folder under TMPDIR or /tmp, not durable. It ends with this object, or with
// the thread that started it, however that ends; a folder left by a killed program is removed by
// the next one.
class EphemeralPostgres {
 public:
  static absl::StatusOr<std::unique_ptr<EphemeralPostgres>> Start();
  ~EphemeralPostgres();
  EphemeralPostgres(const EphemeralPostgres&) = delete;
  EphemeralPostgres& operator=(const EphemeralPostgres&) = delete;

  // Of the empty database "shakedown".
  const std::string& conninfo() const { return conninfo_; }
  // Of a new, empty database. For tests that want one each.
  absl::StatusOr<std::string> NewDatabase();
  // Every session breaks; data stay. `clean`: a fast shutdown, else as kill -9 of the server would.
  absl::Status StopServer(bool clean = true);
  absl::Status StartServer();

 private:
  explicit EphemeralPostgres(ServerOptions options) : options_(std::move(options)) {}
  ServerOptions options_;
  std::string conninfo_;
  int databases_ = 0;
};

}  // namespace shakedown::embedded

#endif  // SHAKEDOWN_DB_EMBEDDED_EPHEMERAL_POSTGRES_H_
