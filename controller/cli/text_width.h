// How many terminal columns a text takes, and cutting it to so many. Unit: columns, not bytes.
#ifndef SHAKEDOWN_CONTROLLER_CLI_TEXT_WIDTH_H_
#define SHAKEDOWN_CONTROLLER_CLI_TEXT_WIDTH_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::cli {

// Columns of UTF-8 `text`: 2 for East Asian wide characters and emoji, 0 for combining marks and
// joiners, else 1; a byte that is not UTF-8 counts 1. For text without control characters.
size_t Width(absl::string_view text);

// `text`, or its beginning with "…" at the end, in at most `columns`. Never cuts inside a
// character.
std::string Cut(absl::string_view text, size_t columns);

// Cut() and then filled with spaces to exactly `columns`: after the text, or before it.
std::string PadRight(absl::string_view text, size_t columns);
std::string PadLeft(absl::string_view text, size_t columns);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_TEXT_WIDTH_H_
