// A line of text as words.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::plan {

using Words = std::vector<std::string>;

// Words parted by blanks. As in a shell, what stands in '…' is taken as it is and a backslash
// outside of them takes the next character as it is; nothing else has a meaning. InvalidArgument: a
// quote that does not end.
absl::StatusOr<Words> SplitWords(absl::string_view text);

// A text that SplitWords reads back into the same words.
std::string JoinWords(const Words& words);

}  // namespace shakedown::plan
