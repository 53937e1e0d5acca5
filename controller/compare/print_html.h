#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The report as one file that needs no network and runs no script: tables, a plot a listed metric
// (a dot a boot, a line a block), and interbench's grid as heat maps. Hostile strings are text.
std::string PrintHtml(const v1::Report& report, const PrintOptions& options);

}  // namespace shakedown::compare
