// compare KERNEL KERNEL… --machine: stored results side by side.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/import_client.h"
#include "controller/cli/metric_hint.h"
#include "controller/cli/note_lines.h"
#include "controller/cli/tables.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

using Comparison = v1::CompareKernelsResponse;

// "87.5* (1)", "12.3 ±0.4 (5)"; "-" without a value.
std::string CellText(const Comparison::Cell& cell) {
  if (cell.n() == 0) return "-";
  std::string text = absl::StrFormat("%.6g%s", cell.median(), cell.starred() ? "*" : "");
  if (cell.n() > 1) absl::StrAppend(&text, absl::StrFormat(" ±%.3g", cell.spread()));
  return absl::StrCat(text, " (", cell.n(), ")");
}

std::string ChangeText(double change) {
  return std::isfinite(change) ? absl::StrFormat("%+.1f%%", 100 * change) : "";
}

std::string TableOf(const Comparison& answer, const std::string& origin, size_t columns) {
  bool details = false;
  for (const Comparison::Row& row : answer.rows()) details = details || !row.detail().empty();
  std::vector<Column> layout = {{.header = "METRIC", .may_shrink = true}};
  if (details) layout.push_back({.header = "OF", .may_shrink = true});
  layout.push_back({.header = "UNIT"});
  for (int i = 0; i < answer.kernels_size(); ++i) {
    layout.push_back({PrintableLine(answer.kernels(i)), Column::Align::kRight, true});
    if (i == 0) continue;
    layout.push_back({"CHANGE", Column::Align::kRight});
    layout.push_back({.header = "VERDICT"});
  }
  std::vector<std::vector<std::string>> rows;
  for (const Comparison::Row& row : answer.rows()) {
    if (row.origin() != origin || row.cells_size() != answer.kernels_size()) continue;
    std::vector<std::string>& cells = rows.emplace_back();
    cells.push_back(PrintableLine(row.metric()));
    if (details) cells.push_back(PrintableLine(row.detail()));
    cells.push_back(row.unit() == "1" ? "" : PrintableLine(row.unit()));
    for (int i = 0; i < row.cells_size(); ++i) {
      cells.push_back(CellText(row.cells(i)));
      if (i == 0) continue;
      cells.push_back(i <= row.change_size() ? ChangeText(row.change(i - 1)) : "");
      cells.push_back(i <= row.verdict_size() ? PrintableLine(row.verdict(i - 1)) : "");
    }
  }
  return rows.empty() ? "" : PrintTable(layout, rows, columns);
}

}  // namespace

int CompareKernels(const Desk& desk, const CompareArgs& args) {
  v1::CompareKernelsRequest request;
  for (const std::string& kernel : args.what) request.add_kernels(ToUtf8(kernel));
  request.set_machine(args.machine);
  if (!args.metrics.empty()) request.set_metric(ToUtf8(args.metrics.front()));
  const absl::StatusOr<Comparison> answer = desk.imports->CompareKernels(request);
  if (!answer.ok()) {
    return Fail(desk.screen, WithMetricHint(answer.status(), request.metric(),
                                            MetricWord::kBeginning, args.machine, *desk.history));
  }
  if (args.json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  std::string out = absl::StrCat("On ", PrintableLine(args.machine),
                                 "; value, spread (MAD) of several runs, runs in brackets; changes "
                                 "are to ",
                                 PrintableLine(answer->kernels(0)), "\n");
  const size_t columns = desk.screen.size().columns;
  const std::string imports = TableOf(*answer, "imports", columns);
  const std::string farm = TableOf(*answer, "farm", columns);
  if (!imports.empty()) absl::StrAppend(&out, "\nImported results\n", imports);
  if (!farm.empty()) absl::StrAppend(&out, "\nThe farm's own boots\n", farm);
  if (!answer->warnings().empty()) out += "\n";
  for (const std::string& warning : answer->warnings()) {
    absl::StrAppend(&out, "Note: ", PrintableLine(warning, 1000), "\n");
  }
  if (!answer->notes().empty()) {
    absl::StrAppend(&out, "\nWhat people saw\n", NoteLines(answer->notes()));
  }
  desk.screen.Print(out);
  return kOk;
}

}  // namespace shakedown::cli
