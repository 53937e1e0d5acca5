#include "controller/cli/series_lines.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

std::string Plain(const std::string& text) { return PrintableLine(text, 400); }

using Rows = std::vector<std::vector<std::string>>;

std::vector<Column> LayoutOf(bool imported) {
  std::vector<Column> layout = {{.header = "METRIC", .may_shrink = true},
                                {.header = "UNIT"},
                                {.header = "MACHINE", .may_shrink = true},
                                {.header = imported ? "OF" : "LOAD", .may_shrink = true}};
  if (!imported) layout.push_back({.header = "CLASS", .may_shrink = true});
  layout.push_back({.header = "KERNELS", .align = Column::Align::kRight});
  if (!imported) layout.push_back({.header = "EPOCHS", .align = Column::Align::kRight});
  layout.push_back({.header = "NEWEST"});
  return layout;
}

Rows RowsOf(const v1::ListSeriesResponse& all, bool imported, absl::TimeZone zone) {
  Rows rows;
  for (const v1::SeriesView& series : all.series()) {
    if (series.imported() != imported) continue;
    std::vector<std::string>& row = rows.emplace_back();
    row = {Plain(series.key().metric()), Plain(series.unit()), Plain(series.key().machine()),
           Plain(series.key().loads())};
    if (!imported) row.push_back(Plain(series.key().config_class()));
    row.push_back(absl::StrCat(series.points()));
    if (!imported) row.push_back(absl::StrCat(series.epochs()));
    row.push_back(TimeText(series.newest(), zone));
  }
  return rows;
}

}  // namespace

std::string SeriesText(const v1::ListSeriesResponse& series, size_t columns, absl::TimeZone zone) {
  const Rows measured = RowsOf(series, false, zone);
  const Rows imported = RowsOf(series, true, zone);
  std::string text;
  if (!measured.empty()) text = PrintTable(LayoutOf(false), measured, columns);
  if (imported.empty()) return text;
  absl::StrAppend(&text, text.empty() ? "" : "\n", "Imported results\n",
                  PrintTable(LayoutOf(true), imported, columns));
  return text;
}

}  // namespace shakedown::cli
