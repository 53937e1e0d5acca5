#include "controller/compare/html_plots.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/compare/html_text.h"
#include "controller/compare/interbench_grid.h"
#include "controller/compare/layout.h"

namespace shakedown::compare {
namespace {

constexpr double kHeight = 130;
constexpr double kTop = 16;
constexpr double kLeft = 70;
constexpr double kStep = 80;

bool Shown(const v1::ReportCell& cell) { return cell.has_value() && std::isfinite(cell.value()); }

struct Range {
  double lo = 0;
  double hi = 0;
  size_t count = 0;
  std::vector<double> values;
};

Range RangeOf(const v1::ReportMetric& metric) {
  Range range;
  for (const v1::ReportRow& row : metric.rows()) {
    for (const v1::ReportCell& cell : row.boots()) {
      if (Shown(cell)) range.values.push_back(cell.value());
    }
  }
  range.count = range.values.size();
  if (range.count == 0) return range;
  range.lo = *std::min_element(range.values.begin(), range.values.end());
  range.hi = *std::max_element(range.values.begin(), range.values.end());
  return range;
}

double X(int variant) { return kLeft + kStep * (variant + 0.5); }
double Y(const Range& range, double value) {
  if (!(range.hi > range.lo)) return kTop + kHeight / 2;
  // Halves first: the difference of two huge values must not overflow.
  return kTop + kHeight * (range.hi / 2 - value / 2) / (range.hi / 2 - range.lo / 2);
}

// The dots of one block that stand side by side, joined.
std::string Lines(const v1::ReportMetric& metric, const Range& range) {
  std::string out;
  for (int v = 1; v < metric.rows_size(); ++v) {
    const v1::ReportRow& left = metric.rows(v - 1);
    const v1::ReportRow& right = metric.rows(v);
    for (int b = 0; b < std::min(left.boots_size(), right.boots_size()); ++b) {
      if (!Shown(left.boots(b)) || !Shown(right.boots(b))) continue;
      absl::StrAppendFormat(&out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                            X(v - 1), Y(range, left.boots(b).value()), X(v),
                            Y(range, right.boots(b).value()));
    }
  }
  return out;
}

std::string Dots(const v1::ReportMetric& metric, const Range& range, int decimals) {
  std::string out;
  for (int v = 0; v < metric.rows_size(); ++v) {
    for (const v1::ReportCell& cell : metric.rows(v).boots()) {
      if (!Shown(cell)) continue;
      absl::StrAppendFormat(
          &out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s: %s</title></circle>", X(v),
          Y(range, cell.value()), HtmlText(cell.boot()), Number(cell.value(), decimals));
    }
    absl::StrAppendFormat(&out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
                          X(v), kTop + kHeight + 18, HtmlText(metric.rows(v).letter()));
  }
  return out;
}

// What a cell of a heat map says. Coloured only when a test found a change; the mark says the same.
struct Heat {
  double percent = 0;
  std::string text;
  std::string mark;

  bool Better() const { return mark == "*" || mark == "+"; }
  bool Worse() const { return mark == "!" || mark == "-"; }
};

Heat HeatOf(const v1::ReportMetric& metric, int variant) {
  Heat heat;
  const v1::ReportRow& row = metric.rows(variant);
  bool known = row.has_change_percent();
  heat.percent = row.change_percent();
  if (metric.comparisons_size() >= variant) {
    const v1::ReportComparison& comparison = metric.comparisons(variant - 1);
    known = comparison.has_change_percent();
    heat.percent = comparison.change_percent();
    heat.mark = comparison.mark();
  }
  if (row.has_median()) {
    heat.text = Number(row.median(), DecimalsFor({row.median(), metric.rows(0).median()}));
  }
  if (known) absl::StrAppend(&heat.text, " ", Change(heat.percent));
  return heat;
}

// Pale for a small change, full at a half; on light and dark ground.
std::string Fill(const Heat& heat) {
  if (!heat.Better() && !heat.Worse()) return "fill=\"none\"";
  const double depth = 0.15 + 0.45 * std::min(std::fabs(heat.percent) / 50, 1.0);
  return absl::StrFormat("fill=\"%s\" fill-opacity=\"%.2f\"", heat.Better() ? "#1a9641" : "#d7191c",
                         depth);
}

constexpr double kCellWidth = 132;
constexpr double kCellHeight = 26;

std::string HeatCell(const v1::ReportMetric& metric, int variant, double x, double y) {
  const Heat heat = HeatOf(metric, variant);
  return absl::StrFormat(
      "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" %s/>"
      "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>",
      x, y, kCellWidth - 2, kCellHeight - 2, Fill(heat), x + kCellWidth / 2, y + 17,
      HtmlText(absl::StrCat(heat.text, " ", heat.mark)));
}

std::string HeatMap(const InterbenchGrid& grid, absl::string_view kind, int variant) {
  std::string cells;
  for (size_t b = 0; b < grid.benchmarks().size(); ++b) {
    for (size_t l = 0; l < grid.loads().size(); ++l) {
      const v1::ReportMetric* metric = grid.Find(grid.benchmarks()[b], grid.loads()[l], kind);
      if (metric == nullptr || variant >= metric->rows_size()) continue;
      absl::StrAppend(&cells, HeatCell(*metric, variant, 60 + kCellWidth * static_cast<double>(l),
                                       22 + kCellHeight * static_cast<double>(b)));
    }
  }
  if (cells.empty()) return "";
  std::string heads;
  for (size_t l = 0; l < grid.loads().size(); ++l) {
    absl::StrAppendFormat(&heads, "<text x=\"%.0f\" y=\"14\" text-anchor=\"middle\">%s</text>",
                          60 + kCellWidth * (static_cast<double>(l) + 0.5),
                          HtmlText(InterbenchName(grid.loads()[l])));
  }
  for (size_t b = 0; b < grid.benchmarks().size(); ++b) {
    absl::StrAppendFormat(&heads, "<text x=\"0\" y=\"%.0f\">%s</text>",
                          39 + kCellHeight * static_cast<double>(b),
                          HtmlText(InterbenchName(grid.benchmarks()[b])));
  }
  return absl::StrFormat(
      "<svg class=\"heat\" width=\"%.0f\" height=\"%.0f\" role=\"img\">%s%s</svg>\n",
      62 + kCellWidth * static_cast<double>(grid.loads().size()),
      26 + kCellHeight * static_cast<double>(grid.benchmarks().size()), heads, cells);
}

}  // namespace

std::string BlockPlot(const v1::ReportMetric& metric) {
  const Range range = RangeOf(metric);
  if (range.count < 2) return "";
  const int decimals = DecimalsFor(range.values);
  const double width = kLeft + kStep * metric.rows_size();
  return absl::StrFormat(
      "<figure><svg class=\"blocks\" width=\"%.0f\" height=\"%.0f\" role=\"img\">"
      "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s</text>"
      "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s</text>%s%s</svg>"
      "<figcaption>%s</figcaption></figure>\n",
      width, kTop + kHeight + 26, kLeft, kTop + 4, Number(range.hi, decimals), kLeft,
      kTop + kHeight + 4, Number(range.lo, decimals), Lines(metric, range),
      Dots(metric, range, decimals), HtmlText(NameWithUnit(metric.name(), metric.unit())));
}

std::string HeatMaps(const v1::ReportLoad& load) {
  const InterbenchGrid grid(load);
  if (grid.empty() || load.metrics().empty()) return "";
  constexpr struct {
    absl::string_view kind;
    absl::string_view title;
  } kKinds[] = {{"latency.avg", "Latency"},
                {"latency.max", "Max Latency"},
                {"desired_cpu", "% Desired CPU"},
                {"deadlines_met", "% Deadlines Met"}};
  std::set<absl::string_view> units;
  for (const std::string& benchmark : grid.benchmarks())
    units.insert(InterbenchGrid::Unit(benchmark));
  const std::string unit = absl::StrCat(" (", absl::StrJoin(units, ", RT in "), ")");
  std::string out;
  for (int v = 1; v < load.metrics(0).rows_size(); ++v) {
    for (const auto& [kind, title] : kKinds) {
      const std::string map = HeatMap(grid, kind, v);
      if (map.empty()) continue;
      absl::StrAppend(&out, "<h3>", HtmlText(title), kind[0] == 'l' ? unit : "", ": ",
                      HtmlText(load.metrics(0).rows(v).letter()),
                      ", its change against A; coloured where a test found one</h3>\n", map);
    }
  }
  return out;
}

}  // namespace shakedown::compare
