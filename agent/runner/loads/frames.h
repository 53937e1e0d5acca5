// The frames load: a film or a game at a fixed pace, each frame a known amount of CPU work.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_FRAMES_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_FRAMES_H_

#include "absl/status/statusor.h"
#include "agent/runner/loads/frame_pacing.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Per iteration, see FrameStats: frames.fps (1/s), frames.{due,shown,late,dropped} ("1"),
// frames.dropped.share (%), frames.freeze (ms), frames.jitter (ms),
// frames.time.{avg,p50,p95,p99,max} (ms, between two pictures), frames.start.{avg,p95,p99,max} (ms,
// lateness of the start), frames.loops_per_ms. Histograms frames.time and frames.start (us).
// FailedPrecondition: fewer than two frames were shown.
// `world` takes the machine's place, for tests.
absl::StatusOr<v1::LoadRun> RunFramesLoad(const v1::Load& load, const LoadContext& context,
                                          FrameWorld* world = nullptr);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_FRAMES_H_
