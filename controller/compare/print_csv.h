#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// Every value of every boot, a line each: load, metric, unit, variant, block, boot, value; with the
// digits that give the same number back. A text that a spreadsheet would take for a formula starts
// with an apostrophe.
std::string PrintCsv(const v1::Report& report);

}  // namespace shakedown::compare
