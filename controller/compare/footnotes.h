#pragma once

#include <string>
#include <vector>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What is said below the row of one comparison, a line each: why there is no mark, how the
// differences and the latencies behaved, what A/A controls say of the metric's noise, and what each
// machine says by itself. Not escaped.
std::vector<std::string> FootnotesOf(const v1::ReportLoad& load, const v1::ReportMetric& metric,
                                     const v1::ReportComparison& comparison);

// "A/A noise, vm1: sd 1.2% a block, n 24, false alarms 0 of 3".
std::string NoiseText(const v1::ReportMetric& metric, const v1::ReportNoise& noise);

}  // namespace shakedown::compare
