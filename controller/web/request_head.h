// The head of a request (request line and header fields) as strict as we want it, before the HTTP
// library sees it. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::web {

inline constexpr size_t kMaxHead = 16 << 10;
inline constexpr size_t kMaxTarget = 2 << 10;
inline constexpr size_t kMaxFields = 100;

// `head`: all up to and with the empty line. Returns what the library may see: the same without
// Range and If-Range, which it matches with a recursive regular expression and we do not serve.
// InvalidArgument: not HTTP/1.x; a target that is no path or too long; a control character; a field
// that is no NAME: VALUE; two Host, Content-Length, Content-Type, Authorization or Cookie fields;
// both Content-Length and Transfer-Encoding, so that nobody can read the body in two ways.
absl::StatusOr<std::string> CleanHead(absl::string_view head);

}  // namespace shakedown::web
