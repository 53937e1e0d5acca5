// Starts a daemon without a shell.
#ifndef SHAKEDOWN_DB_EMBEDDED_SPAWN_H_
#define SHAKEDOWN_DB_EMBEDDED_SPAWN_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace shakedown::embedded {

struct Account {
  std::string name;
  uid_t user = 0;
  gid_t group = 0;
};

struct Daemon {
  std::vector<std::string> argv;  // argv[0] is a path.
  Account account;                // Becomes it when the caller is root.
  std::string output;             // File, emptied first, written as the account.
  bool die_with_thread = false;   // Gets SIGQUIT when the calling thread ends.
};

// Runs it in a session of its own, reading nothing. Unless it dies with the thread it is orphaned
// on purpose and never becomes the caller's zombie. Errors as ErrnoStatus, naming the program or
// the file.
absl::Status SpawnDaemon(const Daemon& daemon);

}  // namespace shakedown::embedded

#endif  // SHAKEDOWN_DB_EMBEDDED_SPAWN_H_
