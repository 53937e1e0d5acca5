#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::compare {

// "farm_failed": an enum's name without its prefix, as SQL and tables spell it.
std::string Word(v1::Outcome outcome);
std::string Word(v1::JobState state);

// One printable line of plain ASCII: other characters become '?'.
std::string Ascii(absl::string_view text);

// Of the lines that hold something, printable, each at most 500 characters, the `count` that tell
// most: those about the first one with `key` in it (ShownFrom), else the last.
std::vector<std::string> TellingLines(absl::string_view text, absl::string_view key, size_t count);
// Where `count` lines begin that have the first line with `key` in their middle; without one, or
// without a key, the last ones.
size_t ShownFrom(const std::vector<std::string>& lines, absl::string_view key, size_t count);
// The first `count`.
std::vector<std::string> FirstLines(absl::string_view text, size_t count);

}  // namespace shakedown::compare
