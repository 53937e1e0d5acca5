// Series and regressions as people and spreadsheets read them. Pure; every text of the farm's is
// made one printable line first.
#ifndef SHAKEDOWN_CONTROLLER_CLI_HISTORY_LINES_H_
#define SHAKEDOWN_CONTROLLER_CLI_HISTORY_LINES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::cli {

// One character a value from the lowest to the highest, "·" ("?") for one that is not finite; a
// longer series shows the medians of `columns` stretches. `unicode`: blocks of eighths, else ASCII.
std::string Sparkline(const std::vector<double>& values, size_t columns, bool unicode);

// Of its medians; `columns` as PrintTable, a pipe has some.
std::string SparkText(const v1::HistorySeries& series, size_t columns, bool unicode);

// Head, sparkline, table with change marks, what else is to be said. `columns` as PrintTable. Of
// imported series as imported_lines.h says.
std::string HistoryText(const v1::HistorySeries& series, size_t columns, bool unicode);

// A line a point, with a header; RFC 4180. A cell that a spreadsheet would take for a formula
// begins with an apostrophe. The columns stay as they are; new ones come last.
std::string HistoryCsv(const v1::GetHistoryResponse& history);

// "suspected" … "won't fix".
std::string RegressionStateText(v1::RegressionState state);
std::string RegressionsText(const v1::ListRegressionsResponse& all, size_t columns);
// "suspected change 3: not confirmed", "regression 3: acknowledged": only what a paired job has
// shown is called a regression.
std::string RegressionTitle(const v1::RegressionView& regression);
std::string RegressionText(const v1::RegressionView& regression, absl::TimeZone zone);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_HISTORY_LINES_H_
