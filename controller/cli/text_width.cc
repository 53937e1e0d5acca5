#include "controller/cli/text_width.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

struct Range {
  uint32_t first, last;
};

// Unicode 15, EastAsianWidth W and F joined into coarse ranges.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x2705, 0x2705},
    {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff},
    {0x1f18e, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

// Nonspacing marks of the common scripts, joiners, variation selectors.
constexpr Range kZero[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902},   {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x2060, 0x2064},   {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
    {0x1f3fb, 0x1f3ff},  // Skin tones: they colour the emoji before them.
    {0xe0100, 0xe01ef},
};

template <size_t N>
bool In(const Range (&ranges)[N], uint32_t c) {
  const Range* it =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](uint32_t value, const Range& r) { return value < r.first; });
  return it != std::begin(ranges) && c <= std::prev(it)->last;
}

struct Character {
  size_t bytes;
  size_t columns;
};

// `text` is not empty.
Character First(absl::string_view text) {
  char32_t c = 0;
  const size_t length = DecodeUtf8(text, &c);
  if (length <= 1) return {1, 1};
  if (In(kZero, c)) return {length, 0};
  return {length, In(kWide, c) ? size_t{2} : size_t{1}};
}

}  // namespace

size_t Width(absl::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Character c = First(text);
    columns += c.columns;
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string Cut(absl::string_view text, size_t columns) {
  if (Width(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  size_t bytes = 0;
  size_t used = 0;
  while (bytes < text.size()) {
    const Character c = First(text.substr(bytes));
    if (used + c.columns > columns - 1) break;
    used += c.columns;
    bytes += c.bytes;
  }
  return absl::StrCat(text.substr(0, bytes), "…");
}

std::string PadRight(absl::string_view text, size_t columns) {
  std::string cut = Cut(text, columns);
  const size_t width = Width(cut);
  return absl::StrCat(cut, std::string(columns - width, ' '));
}

std::string PadLeft(absl::string_view text, size_t columns) {
  std::string cut = Cut(text, columns);
  const size_t width = Width(cut);
  return absl::StrCat(std::string(columns - width, ' '), cut);
}

}  // namespace shakedown::cli
