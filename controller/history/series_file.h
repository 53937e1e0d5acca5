// `shakedown changepoints SERIES.csv`: the detector on anyone's numbers, without a farm.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_SERIES_FILE_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_SERIES_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/history/change_points.h"

namespace shakedown::history {

struct SeriesPoint {
  std::string key;
  double value = 0;
};

struct SeriesFile {
  std::string column;               // Its name; "column 2" without a header.
  std::vector<SeriesPoint> points;  // In the order of their keys; equal keys as in the file.
  size_t left_out = 0;              // Rows without a value.
};

// A CSV file: the first column is the order key (order_key.h), the values are in `column`, a name
// of the header or a number from 1; empty: the last one. A first line whose value cell is no number
// is the header. A byte-order mark, empty lines and lines that begin with '#' are skipped; a row
// with an empty value is left out and counted.  InvalidArgument: `file`, line, column, what is
// wanted.
absl::StatusOr<SeriesFile> ReadSeries(absl::string_view file, absl::string_view text,
                                      absl::string_view column);

// Plain ASCII, at most 78 columns.
std::string PrintChangePoints(const SeriesFile& series, const std::vector<ChangePoint>& points,
                              const ChangePointOptions& options);
// {"changepoints":[{"index","key","magnitude","p","before_median","after_median"}], …}. An infinite
// magnitude is null.
std::string PrintChangePointsJson(const SeriesFile& series, const std::vector<ChangePoint>& points);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_SERIES_FILE_H_
