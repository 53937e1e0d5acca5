#include "controller/compare/print_metrics.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/layout.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

constexpr size_t kLetter = 5;
constexpr size_t kMedian = 11;
constexpr size_t kChange = 10;
constexpr size_t kCount = 6;
constexpr size_t kValues = kLetter + kMedian + kChange + kCount;

std::vector<double> ValuesOf(const v1::ReportMetric& metric) {
  std::vector<double> values;
  for (const v1::ReportRow& row : metric.rows()) {
    if (row.has_median()) values.push_back(row.median());
    for (const v1::ReportCell& cell : row.boots()) {
      if (cell.has_value()) values.push_back(cell.value());
    }
  }
  return values;
}

std::vector<std::string> CellTexts(const v1::ReportRow& row, int decimals) {
  std::vector<std::string> texts;
  for (const v1::ReportCell& cell : row.boots()) {
    texts.push_back(cell.has_value() ? Number(cell.value(), decimals) : "-");
  }
  return texts;
}

// Two more than the longest value, so that all rows of a metric line up.
size_t CellWidth(const v1::ReportMetric& metric, int decimals) {
  size_t width = 1;
  for (const v1::ReportRow& row : metric.rows()) {
    for (const std::string& text : CellTexts(row, decimals)) width = std::max(width, text.size());
  }
  return width + 2;
}

std::string PrintRow(const v1::ReportRow& row, int decimals, size_t cell_width) {
  std::string out = Left(absl::StrCat("    ", Ascii(row.letter())), kLetter);
  absl::StrAppend(&out, Right(row.has_median() ? Number(row.median(), decimals) : "-", kMedian));
  absl::StrAppend(&out,
                  Right(row.has_change_percent() ? Change(row.change_percent()) : "", kChange));
  absl::StrAppend(&out, Right(absl::StrCat(row.n()), kCount));
  size_t column = kValues;
  for (const std::string& text : CellTexts(row, decimals)) {
    if (column + cell_width > kTableWidth) {
      absl::StrAppend(&out, "\n", std::string(kValues, ' '));
      column = kValues;
    }
    out += Right(text, cell_width);
    column += cell_width;
  }
  out += '\n';
  return out;
}

std::string PrintMetric(const v1::ReportMetric& metric) {
  const int decimals = DecimalsFor(ValuesOf(metric));
  const size_t width = CellWidth(metric, decimals);
  std::string out = Wrap("  ", Ascii(absl::StrCat(metric.name(), " (", metric.unit(), ")")));
  for (const v1::ReportRow& row : metric.rows()) out += PrintRow(row, decimals, width);
  return out;
}

}  // namespace

std::string PrintMetrics(const v1::ReportLoad& load) {
  std::string out = Wrap("", Ascii(load.text()));
  if (load.metrics().empty()) {
    out += "  no boot has given numbers\n";
  } else {
    absl::StrAppend(&out, Right("median", kLetter + kMedian), Right("change", kChange),
                    Right("n", kCount), "  each boot, in block order\n");
  }
  for (const v1::ReportMetric& metric : load.metrics()) out += PrintMetric(metric);
  for (const std::string& warning : load.warnings()) {
    absl::StrAppend(&out, Wrap("  note: ", Ascii(warning)));
  }
  return out;
}

}  // namespace shakedown::compare
