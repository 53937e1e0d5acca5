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
  bool classic = false;  // Printed as the version of 2009-09-08 did: one block.
};
// Defaults for 0, except work, which profile "0.1" makes 64. InvalidArgument: out of range, an
// unknown profile, or one of 2009-09-08 with work.
absl::StatusOr<LattParameters> LattParametersOf(const v1::LattLoad& load);

struct LattStats {
  LatencyStats wakeup;
  LatencyStats work;
  uint64_t rounds = 0;
};

// What latt-0.1 prints, or the version of 2009-09-08; a block without entries is left out.
std::string FormatLatt(const LattParameters& parameters, const LattStats& stats);

// Per iteration: latt.wakeup.{max,avg,stdev,p50,p95,p99,n} and with work latt.work.{…} (us; n:
// "1") and their histograms latt.wakeup and latt.work; latt.command.{real,user,sys} (s, means of
// its runs), .status (exit code, 128 + signal), .runs. FailedPrecondition: the command ended before
// the second wake-up. Internal: the command failed. For a person any exit code and number of
// entries is a result, and SIGINT, when the process has it blocked, is passed on to the command.
absl::StatusOr<v1::LoadRun> RunLattLoad(const v1::Load& load, const LoadContext& context);

// The same around a command that somebody else has made; of the load: latt's parameters and the
// iterations.
absl::StatusOr<v1::LoadRun> RunLattAround(const v1::Load& load, const LattCommand& command,
                                          const LoadContext& context);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_H_
