// The real machine under a paced task: its clock, and threads that share a frame's work.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_FRAME_MACHINE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_FRAME_MACHINE_H_

#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "agent/runner/loads/frame_pacing.h"

namespace shakedown::runner {

// CLOCK_MONOTONIC; sleeps to absolute times. Used by one thread, which does its share of the work.
class FrameMachine : public FrameWorld {
 public:
  FrameMachine(uint64_t loops_per_thread, uint32_t threads);
  ~FrameMachine() override;
  FrameMachine(const FrameMachine&) = delete;

  int64_t NowNs() override;
  void SleepUntilNs(int64_t time) override;
  void Decode() override;

 private:
  void Share();

  const uint64_t loops_;
  bool quit_ = false;  // Handed over by begin_.
  std::barrier<> begin_, end_;
  std::vector<std::thread> others_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_FRAME_MACHINE_H_
