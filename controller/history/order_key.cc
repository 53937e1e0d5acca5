#include "controller/history/order_key.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace shakedown::history {
namespace {

std::optional<int64_t> NumberIn(absl::string_view text) {
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool Digit(absl::string_view text) { return !text.empty() && absl::ascii_isdigit(text.front()); }

// Takes the digits at the front, without leading zeros: longer is larger.
absl::string_view TakeDigits(absl::string_view& text) {
  while (text.size() > 1 && text.front() == '0' && absl::ascii_isdigit(text[1]))
    text.remove_prefix(1);
  size_t size = 0;
  while (size < text.size() && absl::ascii_isdigit(text[size])) ++size;
  const absl::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

int CompareNatural(absl::string_view a, absl::string_view b) {
  while (!a.empty() || !b.empty()) {
    const bool rc_a = absl::StartsWith(a, "-rc"), rc_b = absl::StartsWith(b, "-rc");
    if (rc_a != rc_b) return rc_a ? -1 : 1;
    if (a.empty() || b.empty()) return a.empty() ? -1 : 1;
    if (Digit(a) && Digit(b)) {
      const absl::string_view in_a = TakeDigits(a), in_b = TakeDigits(b);
      if (in_a.size() != in_b.size()) return in_a.size() < in_b.size() ? -1 : 1;
      if (const int order = in_a.compare(in_b); order != 0) return order;
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front()) ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return 0;
}

}  // namespace

int CompareOrderKeys(absl::string_view a, absl::string_view b) {
  const std::optional<int64_t> in_a = NumberIn(a), in_b = NumberIn(b);
  if (in_a && in_b) return *in_a < *in_b ? -1 : *in_a > *in_b ? 1 : 0;
  return CompareNatural(a, b);
}

}  // namespace shakedown::history
