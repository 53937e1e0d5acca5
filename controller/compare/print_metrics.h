#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The table of one load: its text, a head line, and for each metric a line a variant with median,
// change, n and the value of each boot in block order ("-": none).
std::string PrintMetrics(const v1::ReportLoad& load);

}  // namespace shakedown::compare
