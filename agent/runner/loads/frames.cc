#include "agent/runner/loads/frames.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/loads/beside.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/frame_machine.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr uint32_t kMostSeconds = 3600;
constexpr uint32_t kMostThreads = 64;

absl::StatusOr<v1::FramesLoad> WithDefaults(v1::FramesLoad load, const LoadContext& context) {
  if (load.fps() == 0) load.set_fps(25);
  if (load.seconds() == 0) load.set_seconds(30);
  if (load.cpu_percent() == 0) load.set_cpu_percent(30);
  if (load.threads() == 0) load.set_threads(1);
  if (load.loops_per_ms() == 0) load.set_loops_per_ms(context.loops_per_ms);
  if (load.fps() != 25 && load.fps() != 30 && load.fps() != 60) {
    return absl::InvalidArgumentError(
        absl::StrCat("frames: fps ", load.fps(), ", want 25, 30 or 60"));
  }
  if (load.seconds() > kMostSeconds || load.threads() > kMostThreads) {
    return absl::InvalidArgumentError(absl::StrCat("frames: ", load.seconds(), " seconds in ",
                                                   load.threads(), " threads, want at most ",
                                                   kMostSeconds, " and ", kMostThreads));
  }
  if (load.cpu_percent() > 100 * load.threads()) {
    return absl::InvalidArgumentError(absl::StrCat("frames: cpu_percent ", load.cpu_percent(),
                                                   " in ", load.threads(),
                                                   " threads, want at most 100 for each"));
  }
  return load;
}

void AddTimes(absl::string_view name, const LatencyStats& us, Recorder& recorder) {
  const auto add = [&](absl::string_view what, double value_us) {
    recorder.Add(absl::StrCat(name, ".", what), value_us / 1000, "ms");
  };
  add("avg", us.Mean());
  for (const auto& [what, q] : {std::pair("p50", 0.5), {"p95", 0.95}, {"p99", 0.99}}) {
    add(what, us.Quantile(q));
  }
  add("max", static_cast<double>(us.max()));
}

void Record(const v1::FramesLoad& load, const FrameStats& stats, uint32_t iteration, bool warmup,
            v1::LoadRun& run) {
  Recorder recorder(run, iteration, warmup);
  recorder.Add("frames.fps", stats.Fps(), "1/s");
  for (const auto& [what, count] : {std::pair("due", stats.due),
                                    {"shown", stats.shown},
                                    {"late", stats.late},
                                    {"dropped", stats.dropped}}) {
    recorder.Add(absl::StrCat("frames.", what), static_cast<double>(count), "1");
  }
  recorder.Add("frames.dropped.share",
               100 * static_cast<double>(stats.dropped) / static_cast<double>(stats.due), "%");
  recorder.Add("frames.freeze", static_cast<double>(stats.freeze_ns) / 1e6, "ms");
  recorder.Add("frames.jitter", stats.jitter_us / 1000, "ms");
  recorder.Add("frames.loops_per_ms", static_cast<double>(load.loops_per_ms()), "1");
  AddTimes("frames.time", stats.between_us, recorder);
  AddTimes("frames.start", stats.start_us, recorder);
  const absl::Duration length = absl::Nanoseconds(stats.length_ns);
  recorder.AddHistogram("frames.time", stats.between_us.histogram(), length);
  recorder.AddHistogram("frames.start", stats.start_us.histogram(), length, true);
  absl::StrAppendFormat(
      run.mutable_output(),
      "%d fps wanted, %.2f shown; %d of %d frames dropped, %d late; longest freeze "
      "%.1f ms, jitter %.2f ms; between frames p50 %.1f, p99 %.1f, max %.1f ms\n",
      load.fps(), stats.Fps(), stats.dropped, stats.due, stats.late,
      static_cast<double>(stats.freeze_ns) / 1e6, stats.jitter_us / 1000,
      stats.between_us.Quantile(0.5) / 1000, stats.between_us.Quantile(0.99) / 1000,
      static_cast<double>(stats.between_us.max()) / 1000);
}

FrameStats PlayOnce(const v1::FramesLoad& load, FrameWorld* world) {
  const uint64_t frames = uint64_t{load.fps()} * load.seconds();
  if (world != nullptr) return PaceFrames(load.fps(), frames, *world);
  FrameMachine machine(
      LoopsPerFrame(load.loops_per_ms(), load.fps(), load.cpu_percent(), load.threads()),
      load.threads());
  return PaceFrames(load.fps(), frames, machine);
}

}  // namespace

absl::StatusOr<v1::LoadRun> RunFramesLoad(const v1::Load& asked, const LoadContext& context,
                                          FrameWorld* world) {
  v1::LoadRun run;
  ASSIGN_OR_RETURN(v1::FramesLoad load, WithDefaults(asked.frames(), context));
  if (load.loops_per_ms() == 0) {
    context.progress(0, "frames, calibrating");
    ASSIGN_OR_RETURN(const uint64_t loops, CalibrateThisCpu());
    load.set_loops_per_ms(loops);
  }
  ASSIGN_OR_RETURN(BesideLoad beside, BesideLoad::Start(load.beside(), context, run));
  const uint32_t all = AllIterations(asked);
  for (uint32_t i = 1; i <= all; ++i) {
    context.progress(static_cast<double>(i - 1) / all,
                     absl::StrCat("frames, ", load.fps(), " fps for ", load.seconds(),
                                  " s, iteration ", i, " of ", all));
    const FrameStats stats = PlayOnce(load, world);
    RETURN_IF_ERROR(beside.CheckAlive());
    if (stats.shown < 2) {
      return absl::FailedPreconditionError(
          absl::StrCat("frames: ", stats.shown, " of ", stats.due,
                       " frames were shown, want at least 2: too much work for this machine"));
    }
    Record(load, stats, i, IsWarmup(asked, i), run);
  }
  RETURN_IF_ERROR(beside.Stop());
  return run;
}

}  // namespace shakedown::runner
