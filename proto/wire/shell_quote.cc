#include "proto/wire/shell_quote.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/sanitise.h"

namespace shakedown {
namespace {

// "=" is not among them: at a line's start it would make an assignment. Nor is "~".
bool IsPlain(char c) {
  return absl::ascii_isalnum(c) ||
         absl::string_view("_-./:,+@%").find(c) != absl::string_view::npos;
}

}  // namespace

std::string ShellQuote(absl::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), IsPlain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\0') continue;
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShellComment(absl::string_view text) {
  return absl::StrCat("# ", PrintableLine(text, 1000));
}

}  // namespace shakedown
