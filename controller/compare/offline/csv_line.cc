#include "controller/compare/offline/csv_line.h"

#include <charconv>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace shakedown::offline {

std::string QuotedCell(absl::string_view cell) {
  const bool cut = cell.size() > 40;
  return absl::StrCat("\"", absl::CHexEscape(cell.substr(0, 40)), cut ? "...\"" : "\"");
}

bool NextLine(absl::string_view& rest, absl::string_view& line) {
  if (rest.empty()) return false;
  const size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == absl::string_view::npos ? rest.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

absl::StatusOr<double> ParseValue(absl::string_view cell, absl::string_view name) {
  if (cell.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, " is empty, want a number"));
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stopped, code] = std::from_chars(cell.data(), end, value);
  if (code == std::errc::invalid_argument || stopped != end || std::isnan(value))
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", QuotedCell(cell), ", want a number such as 12.5"));
  if (code != std::errc() || !(std::fabs(value) <= kLargestValue) ||
      (value != 0 && std::fabs(value) < 1 / kLargestValue))
    return absl::InvalidArgumentError(absl::StrCat(name, " is ", QuotedCell(cell),
                                                   ", want 0 or a size between 1e-100 and 1e100"));
  return value;
}

absl::Status CsvLine::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat("column ", cells_.size() + 1, ": ", what));
}

absl::Status CsvLine::CheckCell(absl::string_view cell) const {
  if (cell.size() > kLongestCell)
    return Error(absl::StrCat("cell of ", cell.size(), " bytes, want at most ", kLongestCell));
  for (const char c : cell)
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c)))
      return Error(absl::StrCat(QuotedCell(cell), " has a control character; want plain text"));
  if (cells_.size() == kMostColumns)
    return Error(absl::StrCat("too many cells; want at most ", kMostColumns));
  return absl::OkStatus();
}

absl::Status CsvLine::Split(absl::string_view line) {
  cells_.clear();
  unquoted_.clear();
  if (line.size() > kLongestLine)
    return Error(absl::StrCat("line of ", line.size(), " bytes, want at most ", kLongestLine));
  for (;;) {
    absl::string_view cell;
    const size_t first = line.find_first_not_of(" \t");
    const bool quoted = first != absl::string_view::npos && line[first] == '"';
    if (quoted) line.remove_prefix(first + 1);
    absl::Status status = quoted ? TakeQuoted(line, cell) : TakePlain(line, cell);
    if (status.ok()) status = CheckCell(cell);
    if (!status.ok()) return status;
    cells_.push_back(cell);
    if (line.empty()) return absl::OkStatus();
    line.remove_prefix(1);
  }
}

// `line` is left at the comma or the end.
absl::Status CsvLine::TakePlain(absl::string_view& line, absl::string_view& cell) {
  const size_t comma = line.find(',');
  cell = absl::StripAsciiWhitespace(line.substr(0, comma));
  if (cell.find('"') != absl::string_view::npos)
    return Error(absl::StrCat("a quote inside ", QuotedCell(cell), "; want the whole cell quoted"));
  line.remove_prefix(std::min(line.size(), comma));
  return absl::OkStatus();
}

// `line` starts behind the opening quote and is left at the comma or the end.
absl::Status CsvLine::TakeQuoted(absl::string_view& line, absl::string_view& cell) {
  std::string text;
  for (;;) {
    const size_t quote = line.find('"');
    if (quote == absl::string_view::npos) return Error("the quote is not closed on its line");
    text.append(line.data(), quote);
    line.remove_prefix(quote + 1);
    if (line.empty() || line.front() != '"') break;
    text.push_back('"');
    line.remove_prefix(1);
  }
  const size_t behind = line.find_first_not_of(" \t");
  line.remove_prefix(std::min(line.size(), behind));
  if (!line.empty() && line.front() != ',')
    return Error(absl::StrCat(QuotedCell(line), " behind the closing quote; want a comma"));
  unquoted_.push_back(std::move(text));
  cell = absl::StripAsciiWhitespace(unquoted_.back());
  return absl::OkStatus();
}

}  // namespace shakedown::offline
