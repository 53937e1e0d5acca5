#include "agent/runner/loads/frame_pacing.h"

#include <algorithm>
#include <cmath>

namespace shakedown::runner {
namespace {

constexpr int64_t kSecondNs = 1000000000;

}  // namespace

double FrameStats::Fps() const {
  return length_ns > 0 ? static_cast<double>(shown) * kSecondNs / static_cast<double>(length_ns)
                       : 0;
}

FrameStats PaceFrames(uint32_t fps, uint64_t frames, FrameWorld& world) {
  FrameStats stats;
  const int64_t start = world.NowNs();
  const auto time_of = [&](uint64_t frame) {
    return start + static_cast<int64_t>(frame) * kSecondNs / fps;
  };
  const double period_us = 1e6 / fps;
  int64_t last_picture = start;
  double distances_us = 0;
  for (uint64_t frame = 0; frame < frames; ++frame) {
    const int64_t due = time_of(frame), deadline = time_of(frame + 1);
    int64_t now = world.NowNs();
    if (now < due) {
      world.SleepUntilNs(due);
      now = world.NowNs();
    }
    ++stats.due;
    stats.start_us.Add(static_cast<uint64_t>(std::max<int64_t>(0, now - due) / 1000));
    if (now >= deadline) {
      ++stats.dropped;
      continue;
    }
    world.Decode();
    const int64_t picture = world.NowNs();
    if (picture > deadline) ++stats.late;
    const int64_t between = picture - last_picture;
    stats.freeze_ns = std::max(stats.freeze_ns, between);
    if (stats.shown > 0) {
      stats.between_us.Add(static_cast<uint64_t>(between / 1000));
      distances_us += std::fabs(static_cast<double>(between) / 1000 - period_us);
    }
    ++stats.shown;
    last_picture = picture;
  }
  const int64_t end = std::max(time_of(frames), world.NowNs());
  stats.length_ns = end - start;
  stats.freeze_ns = std::max(stats.freeze_ns, end - last_picture);
  if (stats.between_us.n() > 0) {
    stats.jitter_us = distances_us / static_cast<double>(stats.between_us.n());
  }
  return stats;
}

uint64_t LoopsPerFrame(uint64_t loops_per_ms, uint32_t fps, uint32_t cpu_percent,
                       uint32_t threads) {
  return loops_per_ms * 10 * cpu_percent / fps / threads;
}

}  // namespace shakedown::runner
