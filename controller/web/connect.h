// The Connect protocol's words (connectrpc.com/docs/protocol): pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::web {

// "not_found" for kNotFound; the status of a unary answer with that error.
const char* ConnectCode(absl::StatusCode code);
int HttpStatus(absl::StatusCode code);

// {"code":"…","message":"…"}; the message is one printable line.
std::string ConnectError(const absl::Status& status);

// A message of a stream: flags, length in four bytes (big end first), data.
std::string Envelope(absl::string_view json);
// The last message of a stream: {} or {"error":…}.
std::string EndEnvelope(const absl::Status& status);

// The one message of a request to a streaming method. InvalidArgument: not exactly one, compressed,
// or cut.
absl::StatusOr<std::string> OpenEnvelope(absl::string_view body);

}  // namespace shakedown::web
