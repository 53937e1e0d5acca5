// The simulated tasks of interbench, pure: clock, work and sleep come in by argument.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PERIODIC_CYCLE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PERIODIC_CYCLE_H_

#include <cstdint>
#include <functional>

#include "agent/runner/loads/latency_stats.h"

namespace shakedown::runner {

// Microseconds throughout.
class TaskWorld {
 public:
  virtual ~TaskWorld() = default;
  virtual int64_t Now() = 0;
  virtual void Burn(int64_t us) = 0;
  // Through the timekeeper; returns by how much the sleep itself was too long. `us` may be 0.
  virtual int64_t Sleep(int64_t us) = 0;
};

// Burns are whole cycles for periodic tasks and microseconds for Gaming.
struct TaskCounters {
  uint64_t achieved_burns = 0;
  uint64_t missed_burns = 0;
  uint64_t deadlines_met = 0;
  uint64_t deadlines_missed = 0;
  bool operator==(const TaskCounters&) const = default;
};
// Percent; 0 when nothing was achieved or met.
double DesiredCpu(const TaskCounters& counters);
double DeadlinesMet(const TaskCounters& counters);

struct CycleState {
  int64_t deadline = 0;
  int64_t oversleep = 0;  // Of the last sleep.
  TaskCounters counters;
};

// One cycle: wake late or in time, burn `run`, sleep to the deadline, which moves on by `interval`.
// Returns the latency sample. The oddities are interbench's and kept, so that numbers compare:
// lateness counts in whole intervals, twice in a skipped cycle; k > 1 missed intervals lose k
// burns.
int64_t RunCycle(int64_t run, int64_t interval, CycleState& state, TaskWorld& world);

enum class Task { kAudio, kVideo, kX, kGaming, kCustom };

// What kCustom is: percent of a CPU, 1 to 100, in every interval.
struct CustomTask {
  int64_t percent = 0;
  int64_t interval_us = 0;
};

struct TaskResult {
  TaskCounters counters;
  LatencyStats latency;
};

// Performs the task until `stop`, which is asked once a cycle: at least one cycle is done.
void RunTask(Task task, TaskWorld& world, const std::function<bool()>& stop, TaskResult& result,
             const CustomTask& custom = {});

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PERIODIC_CYCLE_H_
