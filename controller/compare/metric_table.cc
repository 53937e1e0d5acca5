#include "controller/compare/metric_table.h"

#include "absl/strings/str_cat.h"
#include "controller/compare/footnotes.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_verdicts.h"

namespace shakedown::compare {
namespace {

std::string Named(const v1::ReportMetric& metric) {
  return NameWithUnit(metric.name(), metric.unit());
}

MetricTable JudgedTable(const v1::ReportLoad& load, const PrintOptions& options) {
  MetricTable table;
  table.text_columns = 4;
  table.head = {"metric",       "role",   "better",           "variant", "A median (MAD)",
                "median (MAD)", "change", IntervalHead(load), "abs",     "blocks",
                "p adj",        "mark"};
  size_t same = 0;
  size_t info = 0;
  for (int m = 0; m < load.metrics_size(); ++m) {
    const v1::ReportMetric& metric = load.metrics(m);
    for (const v1::ReportComparison& comparison : metric.comparisons()) {
      if (IsQuiet(metric, comparison) && !options.all) {
        ++(metric.role() == "info" || HasNoValues(comparison) ? info : same);
        continue;
      }
      const int decimals = DecimalsOf(comparison);
      const bool values = comparison.has_base_median();
      const StarTexts stars = StarsOf(metric, comparison, options);
      const auto median = [&](double value, double mad, const std::string& star) {
        if (!values) return std::string("-");
        return absl::StrCat(MedianText(value, mad, decimals), star.empty() ? "" : " ", star);
      };
      table.rows.push_back(
          {Named(metric), metric.role(), metric.direction(), comparison.letter(),
           median(comparison.base_median(), comparison.base_mad(), stars.base),
           median(comparison.median(), comparison.mad(), stars.challenger),
           comparison.has_change_percent() ? Change(comparison.change_percent()) : "-",
           IntervalText(metric, comparison),
           comparison.has_change_abs() ? Signed(comparison.change_abs(), decimals) : "-",
           absl::StrCat(comparison.n()), PText(comparison),
           options.classic_asterisk ? "" : comparison.mark()});
      table.metrics.push_back(m);
      table.verdicts.push_back(comparison.verdict());
      for (const std::string& note : FootnotesOf(load, metric, comparison)) {
        table.notes.push_back(absl::StrCat(metric.name(), ", ", comparison.letter(), ": ", note));
      }
    }
  }
  if (same + info > 0) {
    table.notes.push_back(absl::StrCat("not listed: ", same, " unchanged (=), ", info,
                                       " for information or without values"));
  }
  return table;
}

MetricTable Plain(const v1::ReportLoad& load) {
  MetricTable table;
  table.text_columns = 2;
  table.head = {"metric", "variant", "median", "change", "boots"};
  for (int m = 0; m < load.metrics_size(); ++m) {
    std::vector<double> medians;
    for (const v1::ReportRow& row : load.metrics(m).rows()) {
      if (row.has_median()) medians.push_back(row.median());
    }
    const int decimals = DecimalsFor(medians);
    for (const v1::ReportRow& row : load.metrics(m).rows()) {
      table.rows.push_back({Named(load.metrics(m)), row.letter(),
                            row.has_median() ? Number(row.median(), decimals) : "-",
                            row.has_change_percent() ? Change(row.change_percent()) : "",
                            absl::StrCat(row.n())});
      table.metrics.push_back(m);
      table.verdicts.push_back("");
    }
  }
  return table;
}

}  // namespace

MetricTable TableOf(const v1::Report& report, const v1::ReportLoad& load,
                    const PrintOptions& options) {
  return report.no_verdict().empty() ? JudgedTable(load, options) : Plain(load);
}

}  // namespace shakedown::compare
