// Builds: one row for each time a kernel is to be made; results are accepted once.
#ifndef SHAKEDOWN_DB_STORE_BUILDS_H_
#define SHAKEDOWN_DB_STORE_BUILDS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/signatures.h"
#include "shakedown/v1/build.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// A build that farm_failed is tried this often in all.
inline constexpr int kMaxBuildAttempts = 3;

// Records what became of a build and lets its boots go on: BUILT queues them, FAILED ends them as
// build_failed with the error's first line, FARM_FAILED queues the build again, at the last attempt
// ends them as farm_failed. `agent` is the caller's name. The same result again: OK. AlreadyExists:
// other content than was accepted (kept as evidence). FailedPrecondition: old epoch, cancelled, or
// an artefact that was not uploaded. A BUILT one is signed with it, if there is a `signer`.
// InvalidArgument: a field that is missing or malformed.
// NotFound: no such build.
absl::Status RecordBuild(Database& database, const std::string& agent,
                         const v1::BuildResult& result, const FarmSigner& signer = {});

// Those of `request_keys` that a submit would share now (there or under way).
absl::StatusOr<std::set<std::string>> BuildsAtHand(Database& database,
                                                   const std::vector<std::string>& request_keys);

// The result that was accepted as BUILT last for a build key, if any.
absl::StatusOr<std::optional<v1::BuildResult>> FindBuilt(Database& database,
                                                         const std::string& build_key);

// Newest first. limit 0 is read as 50, at most 1000.
absl::StatusOr<std::vector<v1::BuildView>> ListBuilds(Database& database, uint32_t limit);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_BUILDS_H_
