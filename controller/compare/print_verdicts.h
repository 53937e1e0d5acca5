#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// One line that explains the marks, at most 72 columns.
std::string PrintLegend(const PrintOptions& options);

// The table of one load of a report that has verdicts: of each metric and challenger both medians
// with their spread, the change with its interval, blocks, adjusted p and mark. Rows without a
// change and those for information are counted, not listed, unless all are asked for.
std::string PrintComparisons(const v1::ReportLoad& load, const PrintOptions& options);

// What stands below the tables: estimator, level, thresholds, families, blocks left out.
std::string PrintMethod(const v1::Report& report);

// What stands above them: confounded, not comparable, no verdict.
std::string PrintWarnings(const v1::Report& report);

// "failed 1 of 8 boots, 13% [0%, 53%]".
std::string SurvivalText(const v1::ReportVariant& variant);

// "holds on 1 of 2 machines; vm1: + (n 8), vm2: = (n 8)"; empty when there is but one machine.
std::string MachinesText(const v1::ReportComparison& comparison);

// What the tables of all formats hold, as text.
std::string MedianText(double median, double mad, int decimals);
std::string IntervalText(const v1::ReportMetric& metric, const v1::ReportComparison& comparison);
std::string PText(const v1::ReportComparison& comparison);
// With its sign, and as many decimals as the values have.
std::string Signed(double value, int decimals);
// No block has it on both sides, e.g. a quantile of too few latencies.
bool HasNoValues(const v1::ReportComparison& comparison);
// Unchanged and not primary, only for information, or without values.
bool IsQuiet(const v1::ReportMetric& metric, const v1::ReportComparison& comparison);
// For the values of one comparison.
int DecimalsOf(const v1::ReportComparison& comparison);

// What is printed beside A's and the challenger's value: "*", "(*)" or nothing.
struct StarTexts {
  std::string base;
  std::string challenger;
};
StarTexts StarsOf(const v1::ReportMetric& metric, const v1::ReportComparison& comparison,
                  const PrintOptions& options);

}  // namespace shakedown::compare
