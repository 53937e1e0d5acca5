// A measured boot as a real machine reports it: several metrics, iterations, telemetry,
// distributions, busiest tasks.
#ifndef SHAKEDOWN_TESTS_FAKES_RICH_RESULT_H_
#define SHAKEDOWN_TESTS_FAKES_RICH_RESULT_H_

#include "shakedown/v1/boot.pb.h"

namespace shakedown::fakes {

// Every time and latency is `factor` times that of factor 1; the same seed gives the same result.
v1::BootResult RichResult(const v1::BootOrder& order, double factor, uint64_t seed);

}  // namespace shakedown::fakes

#endif  // SHAKEDOWN_TESTS_FAKES_RICH_RESULT_H_
