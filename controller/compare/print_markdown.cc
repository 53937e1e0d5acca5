#include "controller/compare/print_markdown.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/compare/metric_table.h"
#include "controller/compare/print_report.h"
#include "controller/compare/print_verdicts.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

// Every punctuation mark of ASCII may be escaped, and then is nothing but itself. Marks that mean
// something at the start of a line alone never stand there.
std::string Escaped(absl::string_view text) {
  const std::string line = Ascii(text);
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool link = line[i] == ':' && line.substr(i + 1, 1) == "/";
    if (link || absl::string_view("\\`*_{}[]<>#|&~@").find(line[i]) != absl::string_view::npos) {
      out += '\\';
    }
    out += line[i];
  }
  return out;
}

// As it is: no fence that a line of it could close.
std::string Verbatim(absl::string_view text) {
  std::string out = "\n";
  for (absl::string_view line : absl::StrSplit(absl::StripAsciiWhitespace(text), '\n')) {
    absl::StrAppend(&out, line.empty() ? "" : "    ", line, "\n");
  }
  return out;
}

std::string Row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) absl::StrAppend(&out, " ", Escaped(cell), " |");
  return out + "\n";
}

std::string PrintTable(const MetricTable& table) {
  std::string out = Row(table.head);
  out += "|";
  for (size_t i = 0; i < table.head.size(); ++i) out += i < 4 ? " --- |" : " ---: |";
  out += "\n";
  for (const std::vector<std::string>& row : table.rows) out += Row(row);
  return out;
}

}  // namespace

std::string PrintMarkdown(const v1::Report& report, const PrintOptions& options) {
  std::string out =
      absl::StrCat("# Shakedown job ", report.job(), ": ", Escaped(report.title()), "\n");
  out += Verbatim(PrintHead(report));
  absl::StrAppend(&out, "\n",
                  Escaped(report.no_verdict().empty() ? PrintLegend(options) : report.no_verdict()),
                  "\n");
  for (const v1::ReportLoad& load : report.loads()) {
    absl::StrAppend(&out, "\n## ", Escaped(load.text()), "\n\n");
    const MetricTable table = TableOf(report, load, options);
    if (load.metrics().empty()) {
      out += "no boot has given numbers\n";
    } else {
      out += PrintTable(table);
    }
    if (!table.notes.empty() || !load.warnings().empty()) out += "\n";
    for (const std::string& note : table.notes) absl::StrAppend(&out, "- ", Escaped(note), "\n");
    for (const std::string& warning : load.warnings()) {
      absl::StrAppend(&out, "- ", Escaped(warning), "\n");
    }
  }
  out += "\n## Method, boots and differences\n";
  if (report.no_verdict().empty()) out += Verbatim(PrintMethod(report));
  return out + Verbatim(PrintTail(report, options));
}

}  // namespace shakedown::compare
