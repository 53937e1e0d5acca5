#include "controller/import/words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/wire/sanitise.h"

namespace shakedown::importer {
namespace {

constexpr size_t kLongestNumber = 40;

bool IsDigits(absl::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
}

// `text` must be digits[.digits][e[+-]digits] with an optional "-".
std::optional<double> FromPlain(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool IsPlain(absl::string_view text) {
  if (absl::StartsWith(text, "-")) text.remove_prefix(1);
  const size_t exponent = text.find_first_of("eE");
  if (exponent != absl::string_view::npos) {
    absl::string_view power = text.substr(exponent + 1);
    if (absl::StartsWith(power, "+") || absl::StartsWith(power, "-")) power.remove_prefix(1);
    if (!IsDigits(power)) return false;
    text = text.substr(0, exponent);
  }
  const size_t point = text.find('.');
  if (point == absl::string_view::npos) return IsDigits(text);
  return IsDigits(text.substr(0, point)) && IsDigits(text.substr(point + 1));
}

// Whether `text` is groups of three digits, the first of one to three, with `separator` between.
bool IsGrouped(absl::string_view text, char separator) {
  const std::vector<absl::string_view> groups = absl::StrSplit(text, separator);
  if (groups.size() < 2 || groups[0].size() > 3) return false;
  for (size_t i = 0; i < groups.size(); ++i)
    if (!IsDigits(groups[i]) || (i > 0 && groups[i].size() != 3)) return false;
  return true;
}

std::string Without(absl::string_view text, char separator) {
  std::string out;
  for (const char c : text)
    if (c != separator) out += c;
  return out;
}

}  // namespace

std::vector<absl::string_view> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

std::string OneSpaced(absl::string_view text) { return absl::StrJoin(Words(text), " "); }

std::optional<double> Number(absl::string_view text) {
  if (text.empty() || text.size() > kLongestNumber) return std::nullopt;
  if (text[0] == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::string plain(text);
  const size_t comma = plain.find(',');
  if (comma != std::string::npos) {
    if (plain.find('.') != std::string::npos) return std::nullopt;
    plain[comma] = '.';
  }
  if (!IsPlain(plain)) return std::nullopt;
  return FromPlain(plain);
}

std::optional<int64_t> Count(absl::string_view text) {
  if (!IsDigits(text) || text.size() > 18) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value;
}

std::optional<double> Grouped(absl::string_view text, bool whole) {
  if (text.size() > kLongestNumber) return std::nullopt;
  const size_t comma = text.rfind(',');
  const size_t point = text.rfind('.');
  const size_t none = absl::string_view::npos;
  if (comma == none && point == none) return Number(text);
  if (comma != none && point != none) {  // The last one is the decimals'.
    if (whole) return std::nullopt;
    const size_t last = std::max(comma, point);
    const char grouping = comma < point ? ',' : '.';
    if (!IsGrouped(text.substr(0, last), grouping)) return std::nullopt;
    return Number(
        absl::StrCat(Without(text.substr(0, last), grouping), ".", text.substr(last + 1)));
  }
  const char separator = comma != none ? ',' : '.';
  const bool grouped = IsGrouped(text, separator);
  if (whole) return grouped ? Number(Without(text, separator)) : std::nullopt;
  const size_t count = std::count(text.begin(), text.end(), separator);
  if (count > 1) return grouped ? Number(Without(text, separator)) : std::nullopt;
  // A point alone is what the C locale writes; a comma alone with three digits could be either.
  if (separator == ',' && grouped) return std::nullopt;
  return Number(text);
}

std::optional<double> SecondsAfter(int64_t seconds_before, absl::string_view seconds) {
  const size_t separator = seconds.find_first_of(".,");
  const absl::string_view whole = seconds.substr(0, separator);
  const absl::string_view decimals =
      separator == absl::string_view::npos ? "" : seconds.substr(separator + 1);
  const std::optional<int64_t> count = Count(whole);
  if (!count.has_value() || *count > 1'000'000'000'000 || seconds_before > 1'000'000'000'000)
    return std::nullopt;
  if (separator == absl::string_view::npos) return static_cast<double>(seconds_before + *count);
  return Number(absl::StrCat(seconds_before + *count, ".", decimals));
}

std::optional<double> Clock(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  int64_t before = 0;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::optional<int64_t> part = Count(parts[i]);
    if (!part.has_value() || *part > 100'000'000) return std::nullopt;
    if (i > 0 && *part > 59) return std::nullopt;
    before = (before + *part) * 60;
  }
  const absl::string_view seconds = parts.back();
  if (seconds.substr(0, seconds.find_first_of(".,")).size() != 2) return std::nullopt;
  const std::optional<double> own = Number(seconds);
  if (!own.has_value() || *own < 0 || *own >= 61) return std::nullopt;
  return SecondsAfter(before, seconds);
}

bool IsNan(absl::string_view text) {
  Take(&text, "-");
  return absl::EqualsIgnoreCase(text, "nan");
}

bool Take(absl::string_view* text, absl::string_view prefix) {
  if (!absl::StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

absl::string_view TakeNumber(absl::string_view* text) {
  size_t end = text->find_first_not_of("0123456789");
  if (end == absl::string_view::npos) end = text->size();
  if (end > 0 && end + 1 < text->size() && ((*text)[end] == '.' || (*text)[end] == ',') &&
      absl::ascii_isdigit((*text)[end + 1])) {
    end = text->find_first_not_of("0123456789", end + 1);
    if (end == absl::string_view::npos) end = text->size();
  }
  const absl::string_view number = text->substr(0, end);
  text->remove_prefix(end);
  return number;
}

void TakeBlanks(absl::string_view* text) { *text = absl::StripLeadingAsciiWhitespace(*text); }

std::string Shown(absl::string_view text) {
  return absl::StrCat("\"", PrintableLine(text, 80), "\"");
}

}  // namespace shakedown::importer
