// interbench: how late simulated interactive tasks are in the presence of loads. Tasks, loads,
// priorities and statistics are those of interbench's last version (2016, profile HEAD) or of the
// one of 2009 (profile 0.31), so that numbers compare with published ones. What differs: the read
// file is made only when a load reads it; both files are bounded by the free space and by
// max_file_mib (with a warning) and are removed; calibration is bounded and fails loudly, and
// single_cpu outlives it; a pair ends within its time, two minutes and the disk's syncs.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_H_

#include "absl/status/statusor.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Per iteration and pair, all in lower case:
// interbench.TASK.LOAD.latency.{avg,rms,sd,max,p50,p95,p99,p99.9} (ms; avg floored to whole us; rms
// is what interbench prints as SD, sd a true one), .desired_cpu, .deadlines_met (%; not for
// Gaming), .n, .met, .missed, .achieved, and the histogram interbench.TASK.LOAD.latency (us). In
// real time interbench.rt.TASK.LOAD.…, latencies in us. And interbench.loops_per_ms, once an
// iteration: the load's own, else the context's, else measured.
absl::StatusOr<v1::LoadRun> RunInterbenchLoad(const v1::Load& load, const LoadContext& context);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_H_
