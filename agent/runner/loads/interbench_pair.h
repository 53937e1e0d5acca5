// One measurement of interbench: a benchmarked task in the presence of one load.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PAIR_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PAIR_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/runner/loads/background.h"
#include "agent/runner/loads/periodic_cycle.h"

namespace shakedown::runner {

struct Pair {
  Task task = Task::kVideo;
  Background load = Background::kNone;
  absl::Duration settle = absl::Seconds(1);  // The load alone, before the task starts.
  absl::Duration duration;
};

// Forks a process for the load and one for the task, times them from a main process that is
// SCHED_FIFO 99 with its memory locked meanwhile (where allowed), stops the task, then the load,
// and reaps both. The caller has a single thread. Unavailable: a process was ended from outside.
// Others: the load failed.
absl::StatusOr<std::unique_ptr<TaskResult>> MeasurePair(const Pair& pair,
                                                        const BackgroundSettings& settings);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PAIR_H_
