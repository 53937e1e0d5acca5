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
};

struct JanitorReport {
  int boots_given_up = 0;
  int builds_given_up = 0;
  int blocks_unbound = 0;
  int blocks_orphaned = 0;
};

// Every controller calls it every few seconds; when two do at once, one of them does nothing. A
// silent machine keeps its boot until the limits have passed: it is never given to another before.
// Times are the database's.
absl::StatusOr<JanitorReport> RunJanitor(Database& database, const JanitorLimits& limits = {});

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_JANITOR_H_
