// changepoints: one CSV file, no farm.
#include <string>
#include <vector>

#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "controller/compare/offline/csv.h"
#include "controller/history/series_file.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {

int ChangePoints(Screen& screen, const ChangePointsArgs& args) {
  const absl::StatusOr<std::string> text = ReadInput(args.file, offline::kMostBytes);
  if (!text.ok()) return Fail(screen, text.status());
  const absl::StatusOr<history::SeriesFile> series =
      history::ReadSeries(ToUtf8(args.file), *text, args.column);
  if (!series.ok()) return Fail(screen, series.status());
  std::vector<double> values;
  for (const history::SeriesPoint& point : series->points) values.push_back(point.value);
  const history::ChangePointOptions options = {.min_magnitude = args.min_magnitude};
  const std::vector<history::ChangePoint> points = history::FindChangePoints(values, options);
  screen.Print(args.json ? history::PrintChangePointsJson(*series, points)
                         : history::PrintChangePoints(*series, points, options));
  return kOk;
}

}  // namespace shakedown::cli
