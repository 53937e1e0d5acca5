#pragma once

#include <string>

#include "absl/status/status.h"
#include "db/store/database.h"
#include "db/store/tokens.h"

namespace shakedown::service {

// Makes a token and writes it to a new file of mode 0600; it is shown nowhere else. The file is
// made first, so that no token is made that cannot be kept. AlreadyExists: there is a file of that
// name. InvalidArgument: not a name.
absl::Status CreateTokenFile(store::Database& database, store::Role role, const std::string& name,
                             const std::string& path);

}  // namespace shakedown::service
