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

// The last `count` lines that hold something, printable, each at most 500 characters.
std::vector<std::string> LastLines(absl::string_view text, size_t count);
// The same for the first lines.
std::vector<std::string> FirstLines(absl::string_view text, size_t count);

}  // namespace shakedown::compare
