// The one way from foreign bytes (consoles, guests, build logs) to text that may be stored or
// shown.
#ifndef SHAKEDOWN_PROTO_WIRE_SANITISE_H_
#define SHAKEDOWN_PROTO_WIRE_SANITISE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown {

// For storing: valid UTF-8 without NUL, every other byte replaced by U+FFFD; nothing else changed.
// What proto3 strings and PostgreSQL's text take.
std::string ToUtf8(absl::string_view bytes);

// For terminals: bytes come in pieces of any cut, printable UTF-8 goes out. Keeps line feeds and
// tabs; a carriage return followed by a line feed vanishes, one alone becomes a line feed (it can
// overwrite nothing). Removes all other control characters, whole escape sequences (at most 256
// bytes of one, and never past the end of a line: an endless one can not hide a log), and
// characters that reorder or hide text (bidirectional marks, zero-width ones, tags). Foreign bytes
// become U+FFFD. One stream, one owner, not thread-safe.
class TerminalFilter {
 public:
  std::string Add(absl::string_view bytes);
  // The end of the stream: what is left of a cut character.
  std::string Finish();

 private:
  enum class State { kText, kEscape, kControlSequence, kString, kStringEscape };
  void Take(char32_t c, std::string& out);
  void TakeText(char32_t c, std::string& out);
  void TakeEscape(char32_t c, std::string& out);

  std::string cut_;  // The start of a UTF-8 character whose rest has not come.
  State state_ = State::kText;
  size_t escape_length_ = 0;
  bool after_return_ = false;
};

// TerminalFilter over a whole text.
std::string Printable(absl::string_view bytes);

// One line for messages and table cells: as Printable, line feeds and tabs become spaces, runs of
// spaces one, none at the ends, cut to `limit` bytes with "…" at the end (never inside a
// character).
std::string PrintableLine(absl::string_view bytes, size_t limit = 200);

// Length of the valid UTF-8 character at the start of `bytes`, its value in `*c`; 0 when there is
// none (bad byte, overlong form, surrogate, cut off).
size_t DecodeUtf8(absl::string_view bytes, char32_t* c);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_SANITISE_H_
