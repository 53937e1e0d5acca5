// Archives that loads read, by name: source trees to build.
#ifndef SHAKEDOWN_DB_STORE_INPUTS_H_
#define SHAKEDOWN_DB_STORE_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// Gives the archive its name, for good. The same content again: OK, and the entry stays as it was.
// AlreadyExists: the name means other content.  InvalidArgument: not a name, a digest or a size.
absl::StatusOr<v1::InputView> AddInput(Database& database, const v1::Input& input,
                                       const std::string& submitter);

// By name.
absl::StatusOr<std::vector<v1::InputView>> ListInputs(Database& database);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_INPUTS_H_
