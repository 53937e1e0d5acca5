#include "controller/compare/render_report.h"

#include "absl/strings/str_cat.h"
#include "controller/compare/print_csv.h"
#include "controller/compare/print_html.h"
#include "controller/compare/print_markdown.h"
#include "controller/compare/print_report.h"
#include "proto/wire/ids.h"

namespace shakedown::compare {
namespace {

absl::Status Unknown(absl::string_view what, absl::string_view value, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat(what, " ", Quoted(value), ": want ", want));
}

absl::StatusOr<PrintOptions> OptionsOf(const v1::GetReportRequest& request) {
  PrintOptions options;
  options.all = request.all();
  options.baseline_first = request.baseline_first();
  if (request.asterisk() == "classic") {
    options.classic_asterisk = true;
  } else if (!request.asterisk().empty() && request.asterisk() != "default") {
    return Unknown("asterisk", request.asterisk(), "classic or default");
  }
  if (request.layout() == "2009") {
    options.layout = PrintOptions::Layout::k2009;
  } else if (request.layout() == "2010") {
    options.layout = PrintOptions::Layout::k2010;
  } else if (!request.layout().empty()) {
    return Unknown("layout", request.layout(), "2009 or 2010");
  }
  return options;
}

}  // namespace

absl::StatusOr<std::string> RenderReport(const v1::Report& report,
                                         const v1::GetReportRequest& request) {
  const absl::StatusOr<PrintOptions> options = OptionsOf(request);
  if (!options.ok()) return options.status();
  const std::string& format = request.format();
  if (format == "json" || (format.empty() && request.json())) return ReportJson(report);
  if (format.empty() || format == "text") return PrintReport(report, *options);
  if (format == "markdown") return PrintMarkdown(report, *options);
  if (format == "html") return PrintHtml(report, *options);
  if (format == "csv") return PrintCsv(report);
  return Unknown("format", format, "text, markdown, html, csv or json");
}

}  // namespace shakedown::compare
