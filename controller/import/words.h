// Lines into words, words into numbers: strictly, since what is not understood must be refused.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_WORDS_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_WORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::importer {

// What blanks separate.
std::vector<absl::string_view> Words(absl::string_view text);

// The words with one space between.
std::string OneSpaced(absl::string_view text);

// The whole of `text` as a number as printf writes it, with a decimal point or comma, a sign, an
// exponent. No blanks, no nan, no inf, no grouping; at most 40 characters; finite.
std::optional<double> Number(absl::string_view text);

// Only digits, at most 18.
std::optional<int64_t> Count(absl::string_view text);

// A number that may be grouped in threes: "1,234,567", "1.234.567", "1,234.56", "1.234,56", "1 234"
// is two words. With one separator alone: `whole` says that this number has no decimals, so
// "1,234" is 1234; else it is decimals unless exactly three digits follow, when nobody can tell:
// nullopt.
std::optional<double> Grouped(absl::string_view text, bool whole);

// "M:SS[.cc]", "H:MM:SS[.cc]" in seconds.
std::optional<double> Clock(absl::string_view text);

// Whole seconds and "SS[.cc]" added in decimal, exact to the last place, which adding doubles is
// not. "40.232" after 120: 160.232.
std::optional<double> SecondsAfter(int64_t seconds_before, absl::string_view seconds);

// nan in any spelling.
bool IsNan(absl::string_view text);

// Takes `prefix` off the front of *text.
bool Take(absl::string_view* text, absl::string_view prefix);
// The digits (with a decimal separator) at the front of *text, taken off; empty: none.
absl::string_view TakeNumber(absl::string_view* text);
// Takes blanks off the front.
void TakeBlanks(absl::string_view* text);

// For messages: the text, printable, short, in quotes.
std::string Shown(absl::string_view text);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_WORDS_H_
