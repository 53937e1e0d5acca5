#include "controller/compare/layout.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "controller/compare/words.h"

namespace shakedown::compare {

std::string Wrap(absl::string_view head, absl::string_view text, size_t width) {
  const std::string indent(head.size(), ' ');
  std::string out(head);
  size_t column = head.size();
  bool fresh = true;
  const auto new_line = [&] {
    absl::StrAppend(&out, "\n", indent);
    column = indent.size();
    fresh = true;
  };
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!fresh && column + 1 + word.size() > width) new_line();
    while (column + word.size() > width) {
      const size_t room = width - column;
      absl::StrAppend(&out, word.substr(0, room));
      word.remove_prefix(room);
      new_line();
    }
    absl::StrAppend(&out, fresh ? "" : " ", word);
    column += word.size() + (fresh ? 0 : 1);
    fresh = false;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
  return out;
}

std::string NameWithUnit(absl::string_view name, absl::string_view unit) {
  return unit.empty() || unit == "1" ? std::string(name) : absl::StrCat(name, " (", unit, ")");
}

std::string Right(absl::string_view text, size_t width) {
  return absl::StrCat(std::string(width - std::min(width, text.size()), ' '), text);
}

std::string Left(absl::string_view text, size_t width) {
  return absl::StrCat(text, std::string(width - std::min(width, text.size()), ' '));
}

int DecimalsFor(const std::vector<double>& values) {
  double largest = 0;
  bool whole = true;
  for (const double value : values) {
    largest = std::max(largest, std::fabs(value));
    whole = whole && value == std::floor(value);
  }
  if (whole || largest >= 1000) return 0;
  if (largest >= 100) return 1;
  if (largest >= 10) return 2;
  return largest >= 0.1 ? 3 : 5;
}

std::string Number(double value, int decimals) {
  if (std::fabs(value) >= 1e7) return absl::StrFormat("%.4g", value);
  return absl::StrFormat("%.*f", decimals, value);
}

std::string Change(double percent) {
  if (std::fabs(percent) >= 1e6) return absl::StrFormat("%+.1e%%", percent);
  if (std::fabs(percent) < 0.05) return "0.0%";
  return absl::StrFormat("%+.*f%%", std::fabs(percent) >= 100 ? 0 : 1, percent);
}

std::string Labelled(absl::string_view label, absl::string_view text) {
  constexpr size_t kLabel = 11;  // Column of what follows.
  return Wrap(Left(label, kLabel), Ascii(text));
}

}  // namespace shakedown::compare
