// The list of series. Pure; every text of the farm's is made one printable line first.
#ifndef SHAKEDOWN_CONTROLLER_CLI_SERIES_LINES_H_
#define SHAKEDOWN_CONTROLLER_CLI_SERIES_LINES_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::cli {

// The farm's own and, under a title of their own, those of imported results. "" where there are
// none. `columns` as PrintTable.
std::string SeriesText(const v1::ListSeriesResponse& series, size_t columns, absl::TimeZone zone);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_SERIES_LINES_H_
