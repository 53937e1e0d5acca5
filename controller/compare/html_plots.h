#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// A dot for each boot's value, variants side by side, and a line for each block that joins its
// dots: parallel lines are a change, crossing ones are noise. SVG; empty without two values.
std::string BlockPlot(const v1::ReportMetric& metric);

// interbench's pairs: benchmarked tasks down, loads across, the change of the challenger against A
// in each cell, coloured and marked where a test found one. A table for each kind of number and
// challenger. Empty when the load is no interbench.
std::string HeatMaps(const v1::ReportLoad& load);

}  // namespace shakedown::compare
