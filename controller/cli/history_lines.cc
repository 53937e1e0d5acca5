#include "controller/cli/history_lines.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "controller/cli/imported_lines.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/history/regression_mail.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr size_t kWidest = 400;  // Bytes of one text of the farm's.
constexpr size_t kSparkOfPipe = 72;

std::string Plain(const std::string& text) { return PrintableLine(text, kWidest); }

std::string Number(double value) { return absl::StrFormat("%.6g", value); }

// What steps of `change` mean for people: "+15.0%", "from 0".
std::string Step(double before, double after) {
  if (before == 0) return "from 0";
  return absl::StrFormat("%+.1f%%", 100 * (after - before) / std::fabs(before));
}

std::string ChangeText(const v1::HistoryChange& change) {
  std::string text =
      absl::StrFormat("%s %s, p %.2g", Plain(change.level()),
                      Step(change.before_median(), change.after_median()), change.p());
  if (change.regression() > 0) absl::StrAppend(&text, ", regression ", change.regression());
  return text;
}

std::string MarkAt(const v1::HistorySeries& series, int index) {
  for (const v1::HistoryChange& change : series.changes()) {
    if (change.index() == static_cast<uint32_t>(index)) return ChangeText(change);
  }
  return "";
}

std::string Head(const v1::HistorySeries& series) {
  std::string text = absl::StrCat(Plain(series.key().metric()), " [", Plain(series.unit()), "] on ",
                                  Plain(series.key().machine()), ", ", Plain(series.key().loads()),
                                  ", kernels ", Plain(series.key().config_class()));
  if (!series.better().empty()) absl::StrAppend(&text, " (", Plain(series.better()), " is better)");
  absl::StrAppend(&text, "\n");
  if (!series.points().empty() && series.points(0).relative()) {
    absl::StrAppend(&text, "relative to ", Plain(series.reference()), " of the same blocks\n");
  }
  return text;
}

std::string Footer(const v1::HistorySeries& series) {
  std::string text;
  for (int i = 0; i < series.epoch_changes_size(); ++i) {
    absl::StrAppend(&text, "epoch ", i + 2, ": ", Plain(series.epoch_changes(i)), "\n");
  }
  for (const v1::HistoryChange& change : series.control_changes()) {
    const bool there = change.index() < static_cast<uint32_t>(series.control_size());
    absl::StrAppend(&text, "environment changed: ", Plain(series.reference()), " itself ",
                    Step(change.before_median(), change.after_median()));
    if (there) {
      absl::StrAppend(
          &text, " from ",
          TimeText(series.control(static_cast<int>(change.index())).newest(), absl::UTCTimeZone()),
          " UTC on");
    }
    absl::StrAppend(&text, "\n");
  }
  if (std::isfinite(series.drift())) {
    absl::StrAppendFormat(&text, "drift over the last 20 kernels: %+.1f%%\n", 100 * series.drift());
  }
  if (!series.note().empty()) absl::StrAppend(&text, Plain(series.note()), "\n");
  return text;
}

std::string CsvCell(const std::string& text) {
  std::string cell = Plain(text);
  if (!cell.empty() && absl::StrContains("=+-@", cell.substr(0, 1))) cell.insert(0, "'");
  if (cell.find_first_of("\",") == std::string::npos) return cell;
  return absl::StrCat("\"", absl::StrReplaceAll(cell, {{"\"", "\"\""}}), "\"");
}

// All of them, parted by blanks: "9 12".
std::string ImportsCell(const v1::HistoryPoint& point) {
  return absl::StrJoin(point.imports(), " ", [](std::string* out, const v1::HistoryImport& import) {
    absl::StrAppend(out, import.import());
  });
}

std::string KernelText(const std::string& kernel, const std::string& version) {
  return absl::StrCat(Plain(kernel),
                      version.empty() ? "" : absl::StrCat(" (", Plain(version), ")"));
}

}  // namespace

std::string Sparkline(const std::vector<double>& values, size_t columns, bool unicode) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* kAscii[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
  const size_t cells = columns == 0 ? values.size() : std::min(columns, values.size());
  std::vector<double> shown;
  for (size_t i = 0; i < cells; ++i) {
    std::vector<double> part;
    for (size_t j = i * values.size() / cells; j < (i + 1) * values.size() / cells; ++j) {
      if (std::isfinite(values[j])) part.push_back(values[j]);
    }
    shown.push_back(part.empty() ? std::nan("") : statistics::Median(part));
  }
  double low = INFINITY, high = -INFINITY;
  for (const double value : shown) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string line;
  for (const double value : shown) {
    if (!std::isfinite(value)) {
      line += unicode ? "·" : "?";
      continue;
    }
    // A range that overflows is halved twice before it is taken.
    const double range = high / 4 - low / 4;
    const double part = range > 0 ? (value / 4 - low / 4) / range : 0.5;
    const auto step = static_cast<size_t>(std::clamp(part * 8, 0.0, 7.0));
    line += unicode ? kBlocks[step] : kAscii[step];
  }
  return line;
}

std::string SparkText(const v1::HistorySeries& series, size_t columns, bool unicode) {
  std::vector<double> medians;
  for (const v1::HistoryPoint& point : series.points()) medians.push_back(point.median());
  return Sparkline(medians, columns == 0 ? kSparkOfPipe : columns, unicode);
}

std::string HistoryText(const v1::HistorySeries& series, size_t columns, bool unicode) {
  if (series.imported()) return ImportedText(series, columns, unicode);
  const bool epochs = std::any_of(series.points().begin(), series.points().end(),
                                  [](const v1::HistoryPoint& point) { return point.epoch() > 1; });
  std::vector<Column> layout = {{.header = "KERNEL", .may_shrink = true},
                                {.header = "VERSION", .may_shrink = true},
                                {.header = "BOOTS", .align = Column::Align::kRight},
                                {.header = "FAILED", .align = Column::Align::kRight},
                                {.header = "MEDIAN", .align = Column::Align::kRight},
                                {.header = "MAD", .align = Column::Align::kRight},
                                {.header = "CHANGE", .may_shrink = true}};
  if (epochs) layout.insert(layout.begin(), {.header = "EPOCH", .align = Column::Align::kRight});
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < series.points_size(); ++i) {
    const v1::HistoryPoint& point = series.points(i);
    std::vector<std::string>& row = rows.emplace_back();
    if (epochs) row.push_back(absl::StrCat(point.epoch()));
    for (std::string cell :
         {Plain(point.kernel()), Plain(point.version()), absl::StrCat(point.boots()),
          point.failed() == 0 ? std::string() : absl::StrCat(point.failed()),
          Number(point.median()), point.boots() > 1 ? Number(point.mad()) : std::string("-"),
          MarkAt(series, i)}) {
      row.push_back(std::move(cell));
    }
  }
  return absl::StrCat(Head(series), SparkText(series, columns, unicode), "\n",
                      PrintTable(layout, rows, columns), Footer(series));
}

std::string HistoryCsv(const v1::GetHistoryResponse& history) {
  std::string text =
      "metric,unit,machine,loads,class,epoch,kernel,version,boots,failed,median,mad,relative,"
      "change,imported,runs,imports,source\n";
  for (const v1::HistorySeries& series : history.series()) {
    for (int i = 0; i < series.points_size(); ++i) {
      const v1::HistoryPoint& point = series.points(i);
      absl::StrAppend(
          &text,
          absl::StrJoin(
              {CsvCell(series.key().metric()), CsvCell(series.unit()),
               CsvCell(series.key().machine()), CsvCell(series.key().loads()),
               CsvCell(series.key().config_class()), absl::StrCat(point.epoch()),
               CsvCell(point.kernel()), CsvCell(point.version()), absl::StrCat(point.boots()),
               absl::StrCat(point.failed()), absl::StrFormat("%.17g", point.median()),
               absl::StrFormat("%.17g", point.mad()), std::string(point.relative() ? "1" : "0"),
               CsvCell(MarkAt(series, i)), std::string(series.imported() ? "1" : "0"),
               absl::StrCat(point.runs()), ImportsCell(point), CsvCell(SourcesText(point))},
              ","),
          "\n");
    }
  }
  return text;
}

std::string RegressionStateText(v1::RegressionState state) {
  switch (state) {
    case v1::REGRESSION_STATE_SUSPECTED:
      return "suspected";
    case v1::REGRESSION_STATE_CONFIRMING:
      return "confirming";
    case v1::REGRESSION_STATE_CONFIRMED:
      return "confirmed";
    case v1::REGRESSION_STATE_REFUTED:
      return "refuted";
    case v1::REGRESSION_STATE_ACKNOWLEDGED:
      return "acknowledged";
    case v1::REGRESSION_STATE_FIXED:
      return "fixed";
    case v1::REGRESSION_STATE_WONT_FIX:
      return "won't fix";
    default:
      return "?";
  }
}

std::string RegressionsText(const v1::ListRegressionsResponse& all, size_t columns) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::RegressionView& r : all.regressions()) {
    const std::string size =
        std::isfinite(r.magnitude()) ? absl::StrFormat("%.1f%%", 100 * r.magnitude()) : "from 0";
    rows.push_back({absl::StrCat(r.regression()), RegressionStateText(r.state()),
                    r.improvement() ? "better" : "worse", size, Plain(r.series().metric()),
                    Plain(r.series().machine()), KernelText(r.good(), r.good_version()),
                    KernelText(r.bad(), r.bad_version()),
                    r.confirm_job() == 0 ? "" : absl::StrCat(r.confirm_job()), Plain(r.blocked())});
  }
  return PrintTable({{.header = "NR", .align = Column::Align::kRight},
                     {.header = "STATE"},
                     {.header = "SIDE"},
                     {.header = "STEP", .align = Column::Align::kRight},
                     {.header = "METRIC", .may_shrink = true},
                     {.header = "MACHINE", .may_shrink = true},
                     {.header = "LAST GOOD", .may_shrink = true},
                     {.header = "FIRST BAD", .may_shrink = true},
                     {.header = "JOB", .align = Column::Align::kRight},
                     {.header = "NOTE", .may_shrink = true}},
                    rows, columns);
}

std::string RegressionTitle(const v1::RegressionView& r) {
  const std::string state = r.state() == v1::REGRESSION_STATE_SUSPECTED
                                ? "not confirmed"
                                : RegressionStateText(r.state());
  return absl::StrCat(history::RegressionWord(r), " ", r.regression(), ": ", state);
}

std::string RegressionText(const v1::RegressionView& r, absl::TimeZone zone) {
  std::string text = absl::StrCat(
      RegressionTitle(r), r.improvement() && !r.confirmed() ? " (for the better)" : "", "\n");
  text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
  for (const v1::RegressionEvent& event : r.events()) {
    absl::StrAppend(&text, "  ", TimeText(event.at(), zone), "  ",
                    RegressionStateText(event.state()), " by ", Plain(event.by()),
                    event.why().empty() ? "" : absl::StrCat(": ", Plain(event.why())), "\n");
  }
  if (!r.blocked().empty()) {
    absl::StrAppend(&text, "  No paired job will be queued: ", Plain(r.blocked()),
                    "\n  (shakedown regressions reopen ", r.regression(),
                    " --why … tries again)\n");
  }
  return absl::StrCat(text, "\n", r.mail());
}

}  // namespace shakedown::cli
