// Words for lines that a person pastes into a POSIX shell. We ourselves never run a shell.
#ifndef SHAKEDOWN_PROTO_WIRE_SHELL_QUOTE_H_
#define SHAKEDOWN_PROTO_WIRE_SHELL_QUOTE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace shakedown {

// One word with exactly these bytes: as it is when all of them are plain, else in single quotes. A
// NUL, which no word can hold, is left out.
std::string ShellQuote(absl::string_view word);

// A comment that stays one, whatever is in the text: "# " and one printable line.
std::string ShellComment(absl::string_view text);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_SHELL_QUOTE_H_
