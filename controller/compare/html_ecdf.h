#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What share of the latencies is how long at most: a thin line a boot, a thick one for all boots of
// a variant, the latency on a logarithmic axis. SVG; empty without two different latencies.
std::string LatencyPlot(const v1::ReportLatency& latency);

}  // namespace shakedown::compare
