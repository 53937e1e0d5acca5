// Fixed-width text: wrapping and numbers.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::compare {

inline constexpr size_t kProseWidth = 72;
inline constexpr size_t kTableWidth = 78;

// `text` in lines of at most `width` columns: the first after `head`, the others indented as far as
// `head` is long. Breaks at blanks; a word that fits no line is cut. Ends with a line feed.
std::string Wrap(absl::string_view head, absl::string_view text, size_t width = kProseWidth);

// A line of the report's head: "Machine    vm1: …", plain ASCII, wrapped.
std::string Labelled(absl::string_view label, absl::string_view text);

// `text` on the right, at least `width` columns.
std::string Right(absl::string_view text, size_t width);
std::string Left(absl::string_view text, size_t width);

// Digits after the point that show the values of one metric with three to four digits that count; 0
// when all are whole numbers.
int DecimalsFor(const std::vector<double>& values);
// Without exponent up to ten million.
std::string Number(double value, int decimals);
// "+4.5%", "-0.3%", "+250%".
std::string Change(double percent);

// "make.real (s)"; of a count the name alone.
std::string NameWithUnit(absl::string_view name, absl::string_view unit);

}  // namespace shakedown::compare
