// CPU work of a known amount, and how much of it a CPU does in a millisecond.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_BURN_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_BURN_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace shakedown::runner {

// Iterations of a loop the compiler may not remove; no memory traffic, no calls.
void BurnLoops(uint64_t loops);
// floor(loops_per_ms / 1000) * us iterations: work, not time.
void BurnMicroseconds(uint64_t loops_per_ms, int64_t us);

class CalibrationWorld {
 public:
  virtual ~CalibrationWorld() = default;
  virtual int64_t NowNs() = 0;
  virtual void Burn(uint64_t loops) = 0;
  virtual void SleepOneSecond() = 0;
};

// Loops that take 1 ms, to 1 %, and to 5 % again after a second's rest. Bounded: FailedPrecondition
// after a minute of trying, with the last times: the CPU's speed changes too much, or it is
// shared. OutOfRange: fewer than 1000, too slow for the burn of a microsecond.
absl::StatusOr<uint64_t> Calibrate(CalibrationWorld& world);

// On this machine: on one CPU at SCHED_FIFO 99 where allowed; policy and affinity are restored.
absl::StatusOr<uint64_t> CalibrateThisCpu();

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_BURN_H_
