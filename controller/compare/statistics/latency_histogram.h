// Latencies of boots: the histogram that runner and controller share, and when two maxima compare.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_LATENCY_HISTOGRAM_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_LATENCY_HISTOGRAM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "proto/wire/latency_histogram.h"

namespace shakedown::statistics {

using shakedown::EnoughForQuantile;
using shakedown::LatencyHistogram;

// Maxima grow with the number of values and the time watched, so two are comparable only when both
// agree within 10 %. Returns why not, nullopt when they do. Durations in any one unit.
std::optional<std::string> WhyMaximaDiffer(uint64_t n_base, uint64_t n_challenger,
                                           double duration_base, double duration_challenger);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_LATENCY_HISTOGRAM_H_
