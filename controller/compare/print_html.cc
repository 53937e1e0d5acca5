#include "controller/compare/print_html.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "controller/compare/html_ecdf.h"
#include "controller/compare/html_plots.h"
#include "controller/compare/html_text.h"
#include "controller/compare/metric_table.h"
#include "controller/compare/print_report.h"
#include "controller/compare/print_verdicts.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

// Nothing may be loaded and nothing may run, whatever stands in the file.
constexpr char kStart[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

constexpr char kStyle[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#222;--ground:#fff;--soft:#f6f6f6;--rule:#ddd;"
    "--v0:#1f6fb4;--v1:#c2410c;--v2:#15803d;--v3:#7e22ce}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--ground:#16181b;--soft:#22262b;"
    "--rule:#3a4048;--v0:#6db3f2;--v1:#fb9a5b;--v2:#6ee7a0;--v3:#d0a5ff}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75em;margin:2em auto;padding:0 1em;"
    "color:var(--ink);background:var(--ground)}\n"
    "p.note{margin:.1em "
    "0;font-size:13px}table{font-size:13px;border-collapse:collapse;font-variant-numeric:tabular-"
    "nums}\n"
    "th,td{padding:.2em .45em;border-bottom:1px solid var(--rule);text-align:right}\n"
    ".text2 :nth-child(-n+2),.text4 :nth-child(-n+4){text-align:left}\n"
    "tr.better td:last-child{background:#1a964155}tr.worse td:last-child{background:#d7191c55}\n"
    ".warning{background:#d9b64a33;border:1px solid #d9b64a;padding:.5em "
    "1em;white-space:pre-wrap}\n"
    "pre{background:var(--soft);padding:1em;overflow-x:auto}.wide{overflow-x:auto}\n"
    ".plots{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0}\n"
    "svg text{font-size:12px;fill:var(--ink)}svg line{stroke:var(--rule)}\n"
    "svg.blocks line{stroke:#888}svg.blocks circle{fill:var(--v0)}\n"
    "svg.heat rect{stroke:var(--rule)}polyline{fill:none}\n"
    ".v0{stroke:var(--v0)}.v1{stroke:var(--v1)}.v2{stroke:var(--v2)}.v3{stroke:var(--v3)}\n"
    ".boot{stroke-width:1;opacity:.35}.all{stroke-width:2.5}.v1.all{stroke-dasharray:7 3}\n"
    ".v2.all{stroke-dasharray:2 3}.v3.all{stroke-dasharray:9 3 2 3}\n"
    "figcaption{font-size:12px;text-align:center;max-width:40em}\n"
    "</style>\n";

std::string Element(absl::string_view tag, absl::string_view text) {
  return absl::StrCat("<", tag, ">", HtmlText(text), "</", tag, ">");
}

// Lines that are kept as they are.
std::string Lines(absl::string_view text) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&out, HtmlText(line), "\n");
  }
  return out;
}

std::string PrintTable(const MetricTable& table) {
  std::string out = absl::StrCat("<table class=\"text", table.text_columns, "\">\n<tr>");
  for (const std::string& head : table.head) out += Element("th", head);
  out += "</tr>\n";
  for (size_t i = 0; i < table.rows.size(); ++i) {
    absl::StrAppend(&out, "<tr class=\"", HtmlText(table.verdicts[i]), "\">");
    for (const std::string& cell : table.rows[i]) out += Element("td", cell);
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string PrintPlots(const v1::ReportLoad& load, const MetricTable& table) {
  std::vector<int> metrics = table.metrics;
  metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());
  std::string plots;
  for (const int m : metrics) plots += BlockPlot(load.metrics(m));
  for (const v1::ReportLatency& latency : load.latencies()) plots += LatencyPlot(latency);
  return plots.empty() ? "" : absl::StrCat("<div class=\"plots\">\n", plots, "</div>\n");
}

std::string PrintLoad(const v1::Report& report, const v1::ReportLoad& load,
                      const PrintOptions& options) {
  std::string out = absl::StrCat(Element("h2", load.text()), "\n");
  const MetricTable table = TableOf(report, load, options);
  if (load.metrics().empty()) {
    out += "<p>no boot has given numbers</p>\n";
  } else {
    absl::StrAppend(&out, "<div class=\"wide\">", PrintTable(table), "</div>\n");
  }
  for (const std::string& note : table.notes) {
    absl::StrAppend(&out, "<p class=\"note\">", HtmlText(note), "</p>\n");
  }
  for (const std::string& warning : load.warnings()) {
    absl::StrAppend(&out, Element("p", warning), "\n");
  }
  return absl::StrCat(out, PrintPlots(load, table), HeatMaps(load));
}

}  // namespace

std::string HtmlText(absl::string_view text) {
  return absl::StrReplaceAll(
      absl::StrReplaceAll(Printable(text), {{"\n", " "}, {"\t", "  "}}),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string PrintHtml(const v1::Report& report, const PrintOptions& options) {
  const std::string title = absl::StrCat("Shakedown job ", report.job(), ": ", report.title());
  std::string out = absl::StrCat(kStart, Element("title", title), "\n", kStyle, "</head>\n<body>\n",
                                 Element("h1", title), "\n");
  const std::string warnings = PrintWarnings(report);
  if (!warnings.empty()) {
    absl::StrAppend(&out, "<div class=\"warning\">", Lines(warnings), "</div>\n");
  }
  absl::StrAppend(
      &out, "<pre>", Lines(PrintHead(report)), "</pre>\n",
      Element("p", report.no_verdict().empty() ? PrintLegend(options) : report.no_verdict()), "\n");
  for (const v1::ReportLoad& load : report.loads()) out += PrintLoad(report, load, options);
  if (report.no_verdict().empty()) {
    absl::StrAppend(&out, "<pre>", Lines(PrintMethod(report)), "</pre>\n");
  }
  return absl::StrCat(out, "<pre>", Lines(PrintTail(report, options)),
                      "</pre>\n</body>\n</html>\n");
}

}  // namespace shakedown::compare
