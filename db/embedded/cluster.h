// The files of a private PostgreSQL: where they are, how they are made. Used by server.cc.
#ifndef SHAKEDOWN_DB_EMBEDDED_CLUSTER_H_
#define SHAKEDOWN_DB_EMBEDDED_CLUSTER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/embedded/server.h"
#include "db/embedded/spawn.h"

namespace shakedown::embedded {

struct Cluster {
  std::string dir, data, run, log;
  std::string programs;  // Folder of postgres, initdb, psql.
  std::string conninfo;
  Account account;  // Of the server.
};

// Where things are or would be. Errors as Start().
absl::StatusOr<Cluster> DescribeCluster(const ServerOptions& options);

// Makes the folders and, unless it is there, the cluster (in a folder beside it, then renamed:
// never a half one); writes who may connect.
absl::Status PrepareCluster(const Cluster& cluster, const ServerOptions& options);

// In the running server: the role and the database, unless they are there.
absl::Status PrepareDatabase(const Cluster& cluster);

// In the running server: a database of role shakedown, unless it is there. `name`: letters and
// digits.
absl::Status CreateDatabase(const Cluster& cluster, const std::string& name);

}  // namespace shakedown::embedded

#endif  // SHAKEDOWN_DB_EMBEDDED_CLUSTER_H_
