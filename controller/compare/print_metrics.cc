#include "controller/compare/print_metrics.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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
  std::string out = Wrap("  ", Ascii(NameWithUnit(metric.name(), metric.unit())));
  for (const v1::ReportRow& row : metric.rows()) out += PrintRow(row, decimals, width);
  return out;
}

std::string Notes(const v1::ReportLoad& load) {
  std::string out;
  for (const std::string& warning : load.warnings()) {
    absl::StrAppend(&out, Wrap("  note: ", Ascii(warning)));
  }
  return out;
}

// Columns of a line a metric.
constexpr size_t kName = 42;
constexpr size_t kSide = 11;
constexpr size_t kShortChange = 9;
constexpr size_t kBoots = 5;

// Of interbench's many numbers those that its own table has.
bool IsShort(const v1::ReportMetric& metric) {
  if (metric.role() == "info") return false;
  if (!absl::StartsWith(metric.name(), "interbench.")) return true;
  return absl::EndsWith(metric.name(), ".latency.avg") ||
         absl::EndsWith(metric.name(), ".latency.max") ||
         absl::EndsWith(metric.name(), ".desired_cpu") ||
         absl::EndsWith(metric.name(), ".deadlines_met");
}

// In points for a percentage: from 2 % to 54 % is no "+2167 %".
std::string ShortChange(const v1::ReportMetric& metric, const v1::ReportRow& a,
                        const v1::ReportRow& b) {
  if (metric.unit() == "%" && a.has_median() && b.has_median()) {
    return absl::StrFormat("%+.1f pt", b.median() - a.median());
  }
  return b.has_change_percent() ? Change(b.change_percent()) : "";
}

std::string PrintLine(const v1::ReportMetric& metric, int challenger) {
  const v1::ReportRow& a = metric.rows(0);
  const v1::ReportRow& b = metric.rows(challenger);
  std::vector<double> medians;
  for (const v1::ReportRow* row : {&a, &b}) {
    if (row->has_median()) medians.push_back(row->median());
  }
  const int decimals = DecimalsFor(medians);
  const auto median = [&](const v1::ReportRow& row) {
    return Right(row.has_median() ? Number(row.median(), decimals) : "-", kSide);
  };
  const std::string name = absl::StrCat("  ", Ascii(NameWithUnit(metric.name(), metric.unit())));
  std::string out = name.size() < kName ? Left(name, kName)
                                        : absl::StrCat(Wrap("  ", name), std::string(kName, ' '));
  absl::StrAppend(
      &out, median(a), median(b), Right(ShortChange(metric, a, b), kShortChange),
      Right(a.n() == b.n() ? absl::StrCat(a.n()) : absl::StrCat(a.n(), ",", b.n()), kBoots), "\n");
  return out;
}

}  // namespace

std::string PrintMedians(const v1::ReportLoad& load) {
  std::string out = Wrap("", Ascii(load.text()));
  if (load.metrics().empty()) out += "  no boot has given numbers\n";
  const int variants = load.metrics().empty() ? 0 : load.metrics(0).rows_size();
  size_t more = 0;
  for (int c = 1; c < variants; ++c) {
    absl::StrAppend(&out, std::string(kName, ' '), Right("A", kSide),
                    Right(Ascii(load.metrics(0).rows(c).letter()), kSide),
                    Right("change", kShortChange), Right("n", kBoots), "\n");
    more = 0;
    for (const v1::ReportMetric& metric : load.metrics()) {
      if (c >= metric.rows_size()) continue;
      const bool has_value = metric.rows(0).has_median() || metric.rows(c).has_median();
      if (IsShort(metric) && has_value) {
        out += PrintLine(metric, c);
      } else {
        ++more;
      }
    }
  }
  if (more > 0) {
    out += Wrap(
        "  ", absl::StrCat("not listed: ", more, " more metrics (--all lists them and each boot)"));
  }
  return out + Notes(load);
}

std::string PrintMetrics(const v1::ReportLoad& load) {
  std::string out = Wrap("", Ascii(load.text()));
  if (load.metrics().empty()) {
    out += "  no boot has given numbers\n";
  } else {
    absl::StrAppend(&out, Right("median", kLetter + kMedian), Right("change", kChange),
                    Right("n", kCount), "  each boot, in block order\n");
  }
  for (const v1::ReportMetric& metric : load.metrics()) out += PrintMetric(metric);
  return out + Notes(load);
}

}  // namespace shakedown::compare
