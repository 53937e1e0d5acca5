// Who vouches for a build: Ed25519 signatures of its files, verified before they are stored. They
// belong to what was signed, so that the same files made again have them too.
#ifndef SHAKEDOWN_DB_STORE_SIGNATURES_H_
#define SHAKEDOWN_DB_STORE_SIGNATURES_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "proto/wire/kernel_signature.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::store {

// Of one kernel, by so many keys.
inline constexpr int kMostSignatures = 32;

// Signs with the farm's own key. Called inside transactions, from any thread.
using FarmSigner = std::function<absl::StatusOr<v1::KernelSignature>(const SignedKernel& kernel)>;

// `sender`: who sent it. The same again: OK. InvalidArgument: no such key. PermissionDenied: not
// made by that key over this build. NotFound: no such build. FailedPrecondition: it is not built.
// ResourceExhausted: it has kMostSignatures.
absl::Status AddSignature(Database& database, const std::string& build_id,
                          const v1::KernelSignature& signature, const std::string& sender);

// Signs each build that is there and has no signature of the farm's key yet; how many.
absl::StatusOr<int> SignBuilds(Database& database, const FarmSigner& signer);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SIGNATURES_H_
