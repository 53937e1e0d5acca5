// Text from programs made fit for messages.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_OUTPUT_TEXT_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_OUTPUT_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::runner {

// The last `most` bytes at most; every byte that is not part of well-formed UTF-8 becomes '?'.
std::string Utf8Tail(absl::string_view text, size_t most);

// UTF-8 in one line without control characters, at most 2000 bytes.
std::string OneLine(absl::string_view text);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_OUTPUT_TEXT_H_
