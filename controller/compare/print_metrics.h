#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The table of one load: its text, a head line, and for each metric a line a variant with median,
// change, n and the value of each boot in block order ("-": none).
std::string PrintMetrics(const v1::ReportLoad& load);

// The same in a line a metric and challenger, both medians and the change, without the boots.
// Counts and what interbench's own table has not are counted only.
std::string PrintMedians(const v1::ReportLoad& load);

}  // namespace shakedown::compare
