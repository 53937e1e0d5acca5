// The index of the artefact store: which digests are there. The files are the controller's.
#ifndef SHAKEDOWN_DB_STORE_ARTEFACTS_H_
#define SHAKEDOWN_DB_STORE_ARTEFACTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"

namespace shakedown::store {

// After the file was verified and renamed into place. Again: OK. AlreadyExists: with another size.
// InvalidArgument: not 64 lower-case hex digits.
absl::Status AddArtefact(Database& database, const std::string& sha256, uint64_t size);

// Its size, if it is there.
absl::StatusOr<std::optional<uint64_t>> FindArtefact(Database& database, const std::string& sha256);

// The file is gone or no longer matches: agents upload it again. NotFound: it was not there.
absl::Status ForgetArtefact(Database& database, const std::string& sha256);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_ARTEFACTS_H_
