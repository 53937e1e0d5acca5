#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What differs between the variants: a line each where it fits, of states of mitigations the parts
// that differ. Long values are cut and most of what is told and compared all the same is named
// only, unless `all` is asked for.
std::string PrintDifferences(const v1::Report& report, const PrintOptions& options);

}  // namespace shakedown::compare
