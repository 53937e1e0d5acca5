// Who is signed in to the page: a token sealed into a cookie.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/wire/clock.h"

namespace shakedown::web {

inline constexpr absl::Duration kSessionLength = absl::Hours(12);
inline constexpr size_t kSessionKeySize = 32;

// 32 random bytes, kept in `path` (mode 0600; made when it is not there), so that sessions outlive
// the controller and several controllers know each other's. InvalidArgument: a file of another
// length.
absl::StatusOr<std::string> ReadOrMakeSessionKey(const std::string& path);
std::string DrawSessionKey();

// The cookie's value is the token, a random id and the end of the session, encrypted and
// authenticated with AES-256-GCM under the controller's key: nothing is stored, and a token that is
// revoked ends its sessions because each call checks it. Thread-safe.
class Sessions {
 public:
  // `key`: kSessionKeySize bytes. The clock outlives it.
  Sessions(std::string key, Clock& clock);

  // A new session's cookie value.
  std::string Begin(absl::string_view token);
  // The token. Unauthenticated: not one of ours, past its end, or ended.
  absl::StatusOr<std::string> Find(absl::string_view value);
  // Signs out. Remembered by this process until the session would have ended by itself.
  void End(absl::string_view value);

 private:
  struct Session {
    std::string id;
    absl::Time until;
    std::string token;
  };
  absl::StatusOr<Session> Open(absl::string_view value);

  const std::string key_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, absl::Time> ended_;  // By id.
};

}  // namespace shakedown::web
