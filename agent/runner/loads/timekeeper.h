// The real machine under a simulated task: its clock, its work, and the thread that sleeps for it.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_TIMEKEEPER_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_TIMEKEEPER_H_

#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include <cstdint>
#include <optional>
#include <thread>

#include "agent/runner/loads/periodic_cycle.h"

namespace shakedown::runner {

struct WorldOptions {
  clockid_t clock = CLOCK_MONOTONIC_RAW;
  std::optional<cpu_set_t> timekeeper_cpus;  // Absent: those of the task.
};

// The timekeeper sleeps at SCHED_FIFO 96 where allowed, for benchmarks and for loads, as in the
// original: how late the timer is counts as oversleep, how late the task itself runs counts as
// latency. Used by one thread.
class MachineWorld : public TaskWorld {
 public:
  explicit MachineWorld(uint64_t loops_per_ms, const WorldOptions& options = {});
  ~MachineWorld() override;
  MachineWorld(const MachineWorld&) = delete;

  int64_t Now() override;
  void Burn(int64_t us) override;
  int64_t Sleep(int64_t us) override;

 private:
  void KeepTime();

  const uint64_t loops_per_ms_;
  const WorldOptions options_;
  sem_t asked_, done_;
  int64_t request_us_ = 0;
  int64_t oversleep_us_ = 0;
  bool quit_ = false;  // Handed over by `asked_`, like request_us_.
  std::thread thread_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_TIMEKEEPER_H_
