#ifndef SHAKEDOWN_CONTROLLER_NOTIFY_SIGNATURE_H_
#define SHAKEDOWN_CONTROLLER_NOTIFY_SIGNATURE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::notify {

// "v1=" and HMAC-SHA256(secret, "SECONDS.BODY") in lower-case hex: who knows the secret can tell
// that the body is the farm's, and by the seconds since 1970 how old it is.
std::string Sign(absl::string_view secret, int64_t seconds, absl::string_view body);

}  // namespace shakedown::notify

#endif  // SHAKEDOWN_CONTROLLER_NOTIFY_SIGNATURE_H_
