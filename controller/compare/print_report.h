#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The report as text for a mail: plain ASCII, no tabs, at most 78 columns (prose 72) but for one
// thing: a value in the command at the end that is longer by itself. Hostile strings (titles,
// consoles, facts) come out harmless.
std::string PrintReport(const v1::Report& report, const PrintOptions& options = {});

// The parts of that text before and after the numbers, for other formats.
std::string PrintHead(const v1::Report& report);
std::string PrintTail(const v1::Report& report, const PrintOptions& options);

// The same report as JSON, with the names of report.proto.
std::string ReportJson(const v1::Report& report);

}  // namespace shakedown::compare
