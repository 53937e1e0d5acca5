// A private PostgreSQL: one server in one folder, reached by a Unix socket only. For a farm on one
// host and for tests; a bigger farm brings its own PostgreSQL and needs nothing of this folder.
//
// DIR, with data, run (the socket) and log in it, belongs to the server's user with mode 0700, so
// of the other users only root gets as far as the socket. There the server asks the kernel who is
// calling (peer authentication) and lets in root, its own user and `allow` as the role "shakedown",
// which owns the database "shakedown" and is no superuser. No password exists, no TCP port is
// opened.
#ifndef SHAKEDOWN_DB_EMBEDDED_SERVER_H_
#define SHAKEDOWN_DB_EMBEDDED_SERVER_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace shakedown::embedded {

struct ServerOptions {
  std::string dir;   // Absolute. Every folder above it must let the server's user pass.
  std::string user;  // PostgreSQL refuses root. Empty: the caller; "postgres" when that is root.
  std::vector<std::string> allow;  // More system users who may connect.
  bool durable = true;             // False loses data in a crash and starts faster: for tests.
  bool die_with_thread = false;    // Ends, unclean, with the thread that called Start(): for tests.
  absl::Duration limit = absl::Minutes(2);  // For each of start and stop.
};

struct ServerStatus {
  bool running = false;
  pid_t pid = 0;
  std::string conninfo;  // For DatabaseOptions.
};

// Makes the cluster at the first call, starts the server and waits until it answers. Running
// already: OK. NotFound: no PostgreSQL programs or no such user. InvalidArgument: a folder name
// that is too long or has characters other than [A-Za-z0-9/._+@-]. PermissionDenied: the user can
// not pass a folder, which is named. Internal: initdb or the server failed; its own words.
absl::StatusOr<ServerStatus> Start(const ServerOptions& options);

// Ends sessions and stops, cleanly. Not running: OK.
absl::Status Stop(const ServerOptions& options);

// Stops as a power cut would, without a checkpoint: for tests.
absl::Status Crash(const ServerOptions& options);

absl::StatusOr<ServerStatus> Status(const ServerOptions& options);

// The folder of the newest PostgreSQL's programs, e.g. "/usr/lib/postgresql/15/bin". NotFound:
// none.
absl::StatusOr<std::string> FindPrograms();

}  // namespace shakedown::embedded

#endif  // SHAKEDOWN_DB_EMBEDDED_SERVER_H_
