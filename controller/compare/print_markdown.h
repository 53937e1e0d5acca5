#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The report with its numbers as Markdown tables; hostile strings are no markup.
std::string PrintMarkdown(const v1::Report& report, const PrintOptions& options);

}  // namespace shakedown::compare
