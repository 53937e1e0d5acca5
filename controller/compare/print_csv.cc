#include "controller/compare/print_csv.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace shakedown::compare {
namespace {

std::string Field(absl::string_view text) {
  std::string field(text);
  if (!field.empty() && absl::string_view("=+-@\t").find(field[0]) != absl::string_view::npos) {
    field = absl::StrCat("'", text);
  }
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

std::string Exact(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

}  // namespace

std::string PrintCsv(const v1::Report& report) {
  std::string out = "load,metric,unit,variant,block,boot,value\n";
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      for (const v1::ReportRow& row : metric.rows()) {
        for (int block = 0; block < row.boots_size(); ++block) {
          const v1::ReportCell& cell = row.boots(block);
          if (!cell.has_value()) continue;
          absl::StrAppend(&out, Field(load.text()), ",", Field(metric.name()), ",",
                          Field(metric.unit()), ",", Field(row.letter()), ",", block + 1, ",",
                          Field(cell.boot()), ",", Exact(cell.value()), "\n");
        }
      }
    }
  }
  return out;
}

}  // namespace shakedown::compare
