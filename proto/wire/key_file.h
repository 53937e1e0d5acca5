// Secret keys in files of their owner's: 64 hex digits and a line feed, mode 0600.
#ifndef SHAKEDOWN_PROTO_WIRE_KEY_FILE_H_
#define SHAKEDOWN_PROTO_WIRE_KEY_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/wire/kernel_signature.h"

namespace shakedown {

// PermissionDenied: others may read it. InvalidArgument: not a key. No text holds the secret.
absl::StatusOr<SigningKey> ReadSigningKey(const std::string& path);

// Makes the file. AlreadyExists: there is one of that name; nothing is ever written over.
absl::Status WriteSigningKey(const std::string& path, const SigningKey& key);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_KEY_FILE_H_
