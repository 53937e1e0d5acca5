#pragma once

#include <string>
#include <vector>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The numbers of a load as cells, for formats that lay out tables themselves. Not escaped.
struct MetricTable {
  int text_columns = 0;  // The first so many hold text, the rest numbers.
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // As many cells each.
  std::vector<int> metrics;                    // Of the load; one a row.
  std::vector<std::string> verdicts;           // "better" …, empty without one; one a row.
  std::vector<std::string> notes;
};

// With verdicts: a row a metric and challenger. Without: a row a metric and variant.
MetricTable TableOf(const v1::Report& report, const v1::ReportLoad& load,
                    const PrintOptions& options);

}  // namespace shakedown::compare
