// One measurement of interbench: a benchmarked task in the presence of one load.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PAIR_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PAIR_H_

#include <sched.h>

#include <optional>

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
  // How long a task may take for its last cycle, and a load for its end.
  absl::Duration end_limit = absl::Seconds(60);
  int bench_nice = 0, load_nice = 0;
  bool realtime = false;          // The task at SCHED_FIFO 95 with its memory locked.
  std::optional<cpu_set_t> cpus;  // Of both; BackgroundSettings::world has the timekeepers'.
};

struct PairResult {
  TaskResult task;
  // It had not ended within end_limit after its stop and was killed. The task had ended before.
  bool load_killed = false;
};

// Forks a process for the load and one for the task, times them from a main process that is
// SCHED_FIFO 99 with its memory locked meanwhile (where allowed), stops the task, then the load,
// and reaps both. The caller has a single thread. PermissionDenied: a nice value or SCHED_FIFO is
// refused. Unavailable: a process was ended from outside. DeadlineExceeded: the task's last cycle
// took too long. Others: the load failed; the measurement ends at once.
absl::StatusOr<PairResult> MeasurePair(const Pair& pair, const BackgroundSettings& settings);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PAIR_H_
