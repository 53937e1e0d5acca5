// The farm's own key: with it every build is signed, for laptops whose owners want that.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/signatures.h"

namespace shakedown::service {

// `path`: a file of `shakedown keys new`; empty: no signer. PermissionDenied: others may read it.
// InvalidArgument: not a key. The text never holds the secret.
absl::StatusOr<store::FarmSigner> ReadKernelKey(const std::string& path);

// Signs the builds that were there before the key, and says so.
absl::Status SignWhatIsThere(store::Database& database, const store::FarmSigner& signer);

}  // namespace shakedown::service
