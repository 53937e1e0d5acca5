// Boots: results are accepted exactly once.
#ifndef SHAKEDOWN_DB_STORE_BOOTS_H_
#define SHAKEDOWN_DB_STORE_BOOTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "proto/wire/ids.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::store {

// Records what became of an attempt and gives its machine's lease back. FARM_FAILED makes a new
// attempt while the job's limit allows; every other outcome is final. With its last boot the job is
// due for a decision (looks.h). `agent` is the caller's name. The same result again: OK.
// AlreadyExists: other content than was accepted (kept as evidence). FailedPrecondition: old epoch,
// not this agent's, or given up meanwhile (kept as evidence). InvalidArgument: a NaN or infinite
// measurement (named), a load index that the job has not, two runs of one load, MEASURED with a
// load run missing or an empty one. NotFound: no such attempt. A NaN in a series is a gap; an
// infinite one is refused.
absl::Status RecordBoot(Database& database, const std::string& agent, const v1::BootResult& result);

// The attempt_id of a boot's name; attempt 0 = the latest. NotFound: no such boot.
absl::StatusOr<std::string> FindAttempt(Database& database, const BootName& name);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_BOOTS_H_
