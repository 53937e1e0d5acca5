// SHA-256 as 64 lower-case hex digits, the name of every artefact and key.
#ifndef SHAKEDOWN_PROTO_WIRE_DIGEST_H_
#define SHAKEDOWN_PROTO_WIRE_DIGEST_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// Digest of bytes that come in pieces. One owner, not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void Add(absl::string_view bytes);
  // 64 lower-case hex digits. Once; the object is spent.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Sha256Hex(absl::string_view bytes);

// Of a regular file's content, read in pieces. Errors as ErrnoStatus, naming the path.
absl::StatusOr<std::string> Sha256File(const std::string& path);

// True for exactly 64 of [0-9a-f].
bool IsSha256Hex(absl::string_view text);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_DIGEST_H_
