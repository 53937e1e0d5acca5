#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// One load in the layout of a post, in place of its table; empty when that layout has no place for
// it. The challenger stands first unless A is asked to. Numbers are medians of the boots; stars as
// StarsOf() has them, and '!' on what is worse.
//
// 2010: interbench's grid, one after the other.
std::string PrintInterbench2010(const v1::ReportLoad& load, const PrintOptions& options);
// 2009: make or latt side by side, each challenger beside A.
std::string PrintSideBySide2009(const v1::Report& report, const v1::ReportLoad& load,
                                const PrintOptions& options);

}  // namespace shakedown::compare
