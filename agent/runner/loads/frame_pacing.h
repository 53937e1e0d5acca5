// A film or a game, paced: frames that are due at fixed times. Pure: the clock, the sleep and the
// work come in by argument.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_FRAME_PACING_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_FRAME_PACING_H_

#include <cstdint>

#include "agent/runner/loads/latency_stats.h"

namespace shakedown::runner {

class FrameWorld {
 public:
  virtual ~FrameWorld() = default;
  virtual int64_t NowNs() = 0;
  virtual void SleepUntilNs(int64_t time) = 0;
  virtual void Decode() = 0;  // The work of one frame.
};

struct FrameStats {
  uint64_t due = 0;         // Frames whose time has come.
  uint64_t shown = 0;       // Decoded, in time or not.
  uint64_t late = 0;        // Of those: finished after their deadline.
  uint64_t dropped = 0;     // Their deadline had passed before their work started.
  int64_t length_ns = 0;    // From the first frame's start to the end, late or not.
  int64_t freeze_ns = 0;    // The longest time without a new picture, from the start to the end.
  double jitter_us = 0;     // Mean distance of the times between pictures from the period.
  LatencyStats between_us;  // Times between two pictures: what a viewer sees. One less than shown.
  // From when a frame should have started to when it did, or was given up: a stall counts for every
  // frame it swallowed.
  LatencyStats start_us;
  double Fps() const;  // Pictures a second.
};

// Frame i starts at i / fps seconds and must be finished when frame i + 1 starts; these times are
// fixed at the beginning, so that lateness never moves them. `fps`, `frames` > 0.
FrameStats PaceFrames(uint32_t fps, uint64_t frames, FrameWorld& world);

// Loops of one thread for one frame.
uint64_t LoopsPerFrame(uint64_t loops_per_ms, uint32_t fps, uint32_t cpu_percent, uint32_t threads);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_FRAME_PACING_H_
