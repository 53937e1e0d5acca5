#include "agent/runner/loads/output_text.h"

#include <algorithm>
#include <cstdint>

namespace shakedown::runner {
namespace {

// Length of the well-formed sequence at the start of `text`; 0 when there is none.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

}  // namespace

std::string Utf8Tail(absl::string_view text, size_t most) {
  if (text.size() > most) text.remove_prefix(text.size() - most);
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      clean += '?';
      text.remove_prefix(1);
    } else {
      clean.append(text.data(), length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

std::string OneLine(absl::string_view text) {
  std::string line = Utf8Tail(text.substr(0, 2000), 2000);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7f; },
      ' ');
  return line;
}

}  // namespace shakedown::runner
