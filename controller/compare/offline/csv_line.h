// One line of a CSV file into its cells.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_CSV_LINE_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_CSV_LINE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::offline {

inline constexpr size_t kMostColumns = 1000;
inline constexpr size_t kLongestCell = 128;
inline constexpr size_t kLongestLine = 64 * 1024;

// RFC 4180 within one line: commas, double quotes (doubled inside), blanks around a cell dropped.
// One object serves a whole file, so that a long one costs no allocation a line.
class CsvLine {
 public:
  // `line` without its end. InvalidArgument: "column 3: what is there; what is wanted". The cells
  // live until the next call and as long as `line`.
  absl::Status Split(absl::string_view line);
  const std::vector<absl::string_view>& cells() const { return cells_; }

 private:
  absl::Status Error(absl::string_view what) const;
  absl::Status TakeQuoted(absl::string_view& line, absl::string_view& cell);
  absl::Status TakePlain(absl::string_view& line, absl::string_view& cell);
  absl::Status CheckCell(absl::string_view cell) const;

  std::vector<absl::string_view> cells_;
  std::deque<std::string> unquoted_;  // Its strings stay where they are.
};

// Takes the next line off `rest`, without LF or CRLF. False at the end.
bool NextLine(absl::string_view& rest, absl::string_view& line);

// A cell for a message: short, printable, in quotes.
std::string QuotedCell(absl::string_view cell);

// Sizes beyond these are no measurement, and squares and ratios of them no numbers.
inline constexpr double kLargestValue = 1e100;

// A finite decimal number. InvalidArgument: "NAME is "x", want a number such as 12.5".
absl::StatusOr<double> ParseValue(absl::string_view cell, absl::string_view name);

}  // namespace shakedown::offline

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_CSV_LINE_H_
