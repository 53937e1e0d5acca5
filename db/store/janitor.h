// Ends what nobody will end any more.
#ifndef SHAKEDOWN_DB_STORE_JANITOR_H_
#define SHAKEDOWN_DB_STORE_JANITOR_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/database.h"

namespace shakedown::store {

struct JanitorLimits {
  // Past an order's own limits (boot + run, or the build's) before its lease is given up.
  absl::Duration slack = absl::Minutes(10);
  // A block bound to a machine whose agent is silent this long is unbound if nothing was measured
  // in it.
  absl::Duration unbind = absl::Minutes(30);
  // If something was: its boots that have not started end as the farm's failure, so that the block
  // is repeated where a machine is. As soon as `unbind` when the job's time is over, and at once
  // when the agent no longer offers the machine. A laptop may well be away for a night.
  absl::Duration orphan = absl::Hours(24);
  // A machine that takes blocks, past the limits of all boots of its lease and, while it is silent,
  // past the dark time that it declared, before the lease is given up: `slack` for a cancelled job.
  // Until then what it measured is taken when it comes back.
  absl::Duration away = absl::Hours(24);
  // Past its dark time before a machine that needs hands has its power cycled, and between two such
  // cycles: a file system check and an agent's start fit into it.
  absl::Duration power_wait = absl::Minutes(10);
  absl::Duration power_again = absl::Minutes(30);
  int power_cycles = 3;  // At most, in 24 hours.
};

struct JanitorReport {
  int boots_given_up = 0;
  int builds_given_up = 0;
  int blocks_unbound = 0;
  int blocks_orphaned = 0;
  int power_cycles = 0;  // Ordered.
};

// Every controller calls it every few seconds; when two do at once, one of them does nothing. A
// silent machine keeps its boot until the limits have passed: it is never given to another before.
// What is queued for a drained machine goes to others where its job allows one that is there.
// Times are the database's.
absl::StatusOr<JanitorReport> RunJanitor(Database& database, const JanitorLimits& limits = {});

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_JANITOR_H_
