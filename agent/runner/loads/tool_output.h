// What the wrapped benchmarks print, parsed. Pure and strict: text that is not exactly as these
// versions print it is an error, never a guess.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_TOOL_OUTPUT_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_TOOL_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

struct ToolValue {
  std::string metric;
  double value = 0;
  std::string unit;
};
using ToolValues = absl::StatusOr<std::vector<ToolValue>>;

// All: DataLoss, naming the tool and what is missing or wrong in its output.

// hackbench.time (s), hackbench.tasks. Of rt-tests 1.0 to 2.5.
ToolValues ParseHackbench(absl::string_view output);
// cyclictest.{min,avg,max} (us) and .n over all threads: avg weighted by their cycles. The text has
// no unit: the caller has seen to it that nanoseconds were not asked for.
ToolValues ParseCyclictest(absl::string_view output);
// stress-ng.STRESSOR.rate (1/s, bogo operations by wall time) and .ops for each stressor.
ToolValues ParseStressNg(absl::string_view output);
// sysbench.rate (1/s, events by wall time), sysbench.events, sysbench.latency.{avg,p95,max} (ms).
ToolValues ParseSysbench(absl::string_view output);
// perf-messaging.time (s), perf-messaging.tasks.
ToolValues ParsePerfMessaging(absl::string_view output);
// perf-pipe.time (s), perf-pipe.op (us), perf-pipe.rate (1/s).
ToolValues ParsePerfPipe(absl::string_view output);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_TOOL_OUTPUT_H_
