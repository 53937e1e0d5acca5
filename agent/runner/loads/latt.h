// latt: how long woken processes wait while a command runs.
//
// A parent wakes `clients` processes in bursts, at random pauses of min_sleep_ms to min_sleep_ms +
// sleep_width_ms, as long as the command runs. A client answers with the time it saw the wake-up
// and, when there is work, the time it had finished one work item. Wake-up latency: from before the
// parent's write to the client's first clock read. Work latency: the work item's whole wall time.
// Both in whole microseconds, one of each for every client and round. All run with the default
// policy; parent, clients and command share one session.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/runner/loads/latency_stats.h"
#include "agent/runner/loads/latt_command.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

struct LattParameters {
  uint32_t clients = 4;
  uint32_t min_sleep_ms = 100;
  uint32_t sleep_width_ms = 500;
  uint32_t work_kib = 0;
};
// Defaults for 0, except work. InvalidArgument: out of range.
absl::StatusOr<LattParameters> LattParametersOf(const v1::LattLoad& load);

struct LattStats {
  LatencyStats wakeup;
  LatencyStats work;
  uint64_t rounds = 0;
};

// The classic output; a block without entries is left out.
std::string FormatLatt(const LattParameters& parameters, const LattStats& stats);

// Per iteration: latt.wakeup.{max,avg,stdev,p50,p95,p99,n} and with work latt.work.{…} (us; n:
// "1"), latt.command.real (s, mean of its runs), latt.command.runs. FailedPrecondition: the command
// ended before the second wake-up. Internal: the command failed.
absl::StatusOr<v1::LoadRun> RunLattLoad(const v1::Load& load, const LoadContext& context);

// The same around a command that somebody else has made; of the load: latt's parameters and the
// iterations.
absl::StatusOr<v1::LoadRun> RunLattAround(const v1::Load& load, const LattCommand& command,
                                          const LoadContext& context);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_H_
