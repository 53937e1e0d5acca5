// The one kind of CSV file people hand in: a header, one row a boot, one column a metric.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_CSV_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_CSV_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::offline {

inline constexpr size_t kMostBytes = size_t{512} << 20;
inline constexpr size_t kMostRows = 5'000'000;
struct Column {
  std::string name;
  std::vector<double> values;
};

struct Samples {
  std::vector<Column> columns;        // The metrics, in the file's order.
  std::vector<std::string> blocks;    // Of each row; empty without a column "block".
  std::vector<int> lines;             // Where each row is, from 1.
  std::vector<std::string> comments;  // '#' lines without the '#', trimmed; with `comment_lines`.
  std::vector<int> comment_lines;
  std::vector<int> column_numbers;  // Where each metric is in the file, from 1.
  size_t Rows() const { return lines.size(); }
  const Column* Find(absl::string_view name) const;
};

// RFC 4180: commas, double quotes (doubled inside), LF or CRLF; a byte-order mark at the start is
// skipped, lines that begin with '#' are comments, empty lines are skipped; in a file of one column
// only those at its end are, for one between rows is an empty cell. Every cell of a metric is a
// finite decimal number; the column "block" holds any name, once. Anything else is refused:
// InvalidArgument: `file`, line and column (from 1), what is there and what is wanted.
absl::StatusOr<Samples> ReadSamples(absl::string_view file, absl::string_view text);

}  // namespace shakedown::offline

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_CSV_H_
