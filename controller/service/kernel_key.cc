#include "controller/service/kernel_key.h"

#include <spdlog/spdlog.h>

#include "proto/wire/key_file.h"
#include "proto/wire/status.h"

namespace shakedown::service {

absl::StatusOr<store::FarmSigner> ReadKernelKey(const std::string& path) {
  if (path.empty()) return store::FarmSigner();
  ASSIGN_OR_RETURN(const SigningKey key, ReadSigningKey(path));
  spdlog::info("signs every build with key {}", key.public_key);
  return store::FarmSigner(
      [key](const SignedKernel& kernel) -> absl::StatusOr<v1::KernelSignature> {
        v1::KernelSignature signature;
        signature.set_key(key.public_key);
        ASSIGN_OR_RETURN(*signature.mutable_signature(), Sign(key, kernel));
        return signature;
      });
}

absl::Status SignWhatIsThere(store::Database& database, const store::FarmSigner& signer) {
  if (!signer) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int count, store::SignBuilds(database, signer));
  if (count > 0) spdlog::info("signed {} builds that were there", count);
  return absl::OkStatus();
}

}  // namespace shakedown::service
