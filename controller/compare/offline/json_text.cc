#include "controller/compare/offline/json_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_format.h"

namespace shakedown::offline {

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto [end, code] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace shakedown::offline
