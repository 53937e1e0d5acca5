// Who vouches for a build: Ed25519 over its digests, made by a person or a farm, checked by a
// laptop's owner.
#ifndef SHAKEDOWN_PROTO_WIRE_KERNEL_SIGNATURE_H_
#define SHAKEDOWN_PROTO_WIRE_KERNEL_SIGNATURE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// What is signed. Digests are 64 lower-case hex digits; empty: the build has no such file.
struct SignedKernel {
  std::string release;
  std::string image;
  std::string initramfs;
  std::string modules;
};

// "shakedown kernel 1\nrelease R\nimage SHA256\ninitramfs SHA256\nmodules SHA256\n", "-" for an
// empty digest. InvalidArgument when the release or a digest could be read in two ways.
absl::StatusOr<std::string> SignedText(const SignedKernel& kernel);

struct SigningKey {
  std::string secret;      // 64 hex digits: the file's content. Never printed.
  std::string public_key;  // 64 hex digits.
};
// From the operating system's generator.
absl::StatusOr<SigningKey> NewSigningKey();
// InvalidArgument, without the value, when `secret` is not 64 hex digits.
absl::StatusOr<SigningKey> KeyFromSecret(absl::string_view secret);

// 64 bytes.
absl::StatusOr<std::string> Sign(const SigningKey& key, const SignedKernel& kernel);
// OK: made by the holder of `public_key` over exactly this. PermissionDenied: not. InvalidArgument:
// no such key.
absl::Status Verify(absl::string_view public_key, absl::string_view signature,
                    const SignedKernel& kernel);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_KERNEL_SIGNATURE_H_
