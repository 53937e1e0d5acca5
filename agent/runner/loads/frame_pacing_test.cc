#include "agent/runner/loads/frame_pacing.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/runner/loads/frames.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

constexpr int64_t kMs = 1000000;

// Time passes only by work, by sleeping, and by a stall that follows the sleep before a frame.
class FakeWorld : public FrameWorld {
 public:
  explicit FakeWorld(std::vector<int64_t> work_ms, std::map<int, int64_t> stalls_ms = {})
      : work_ms_(std::move(work_ms)), stalls_ms_(std::move(stalls_ms)) {}
  int64_t NowNs() override { return now_; }
  void SleepUntilNs(int64_t time) override {
    now_ = std::max(now_, time);
    const auto stall = stalls_ms_.find(++sleeps_);
    if (stall != stalls_ms_.end()) now_ += stall->second * kMs;
  }
  void Decode() override { now_ += work_ms_[decoded_++ % work_ms_.size()] * kMs; }

 private:
  std::vector<int64_t> work_ms_;
  std::map<int, int64_t> stalls_ms_;
  int64_t now_ = 77 * kMs;
  int sleeps_ = 0;
  size_t decoded_ = 0;
};

struct PaceCase {
  std::string name;
  uint32_t fps;
  uint64_t frames;
  std::vector<int64_t> work_ms;
  std::map<int, int64_t> stalls_ms;  // By sleep, from 1; frame 0 needs none.
  uint64_t shown, late, dropped;
  int64_t freeze_ms, length_ms;
};
class PaceFramesTest : public testing::TestWithParam<PaceCase> {};

TEST_P(PaceFramesTest, Counts) {
  const PaceCase& c = GetParam();
  FakeWorld world(c.work_ms, c.stalls_ms);
  const FrameStats stats = PaceFrames(c.fps, c.frames, world);
  EXPECT_EQ(stats.due, c.frames);
  EXPECT_EQ(stats.shown, c.shown);
  EXPECT_EQ(stats.late, c.late);
  EXPECT_EQ(stats.dropped, c.dropped);
  EXPECT_EQ(stats.shown + stats.dropped, stats.due);
  EXPECT_EQ(stats.freeze_ns / kMs, c.freeze_ms);
  EXPECT_EQ(stats.length_ns / kMs, c.length_ms);
  EXPECT_EQ(stats.start_us.n(), stats.due);
  EXPECT_EQ(stats.between_us.n() + 1, stats.shown);
  EXPECT_NEAR(stats.Fps(), static_cast<double>(c.shown) * 1000 / static_cast<double>(c.length_ms),
              0.01);
}
INSTANTIATE_TEST_SUITE_P(
    , PaceFramesTest,
    testing::ValuesIn<PaceCase>({
        // 25 fps: a frame each 40 ms.
        {"AllInTime", 25, 10, {10}, {}, 10, 0, 0, 40, 400},
        {"ExactlyAtTheDeadlineIsInTime", 25, 10, {40}, {}, 10, 0, 0, 40, 400},
        // Frame 3 wakes at 220, its deadline was 160; frame 4's was 200, frame 5 is due at 200 and
        // starts at 220.
        {"AStallSwallowsTwo", 25, 10, {10}, {{3, 100}}, 8, 0, 2, 140, 400},
        // One frame takes 100 ms: done at 100. Frame 1's deadline was 80; frame 2 starts at 100.
        {"ALongFrameIsLateAndCostsTheNext", 25, 4, {100, 10, 10}, {}, 3, 1, 1, 100, 160},
        // Twice the time there is: each second frame is late and the other dropped.
        {"TooSlow", 25, 10, {80}, {}, 5, 5, 5, 80, 400},
        // The last frame ends after the film does.
        {"TheEndCounts", 25, 2, {10, 100}, {}, 2, 1, 0, 130, 140},
        // Nothing after frame 1: the freeze lasts to the end.
        {"FrozenToTheEnd", 25, 5, {10}, {{2, 500}}, 2, 0, 3, 530, 580},
        {"SixtyAMinute", 60, 60, {5}, {}, 60, 0, 0, 16, 1000},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FrameStatsTest, AStallCountsForEveryFrameItSwallowed) {
  FakeWorld world({10}, {{3, 100}});
  const FrameStats stats = PaceFrames(25, 10, world);
  // Frames 3, 4 and 5 started 100, 60 and 20 ms late.
  EXPECT_EQ(stats.start_us.max(), 100000u);
  EXPECT_NEAR(stats.start_us.Quantile(0.9), 60000, 60);
  EXPECT_NEAR(stats.start_us.Quantile(0.8), 20000, 20);
  EXPECT_EQ(stats.start_us.Quantile(0.7), 0);
}

TEST(FrameStatsTest, JitterIsTheMeanDistanceFromThePeriod) {
  FakeWorld steady({10});
  EXPECT_EQ(PaceFrames(25, 10, steady).jitter_us, 0);
  FakeWorld uneven({10, 20});  // 50 and 30 ms between the pictures.
  EXPECT_DOUBLE_EQ(PaceFrames(25, 11, uneven).jitter_us, 10000);
}

TEST(LoopsPerFrameTest, Table) {
  // 30 % of 40 ms are 12 ms.
  EXPECT_EQ(LoopsPerFrame(1000, 25, 30, 1), 12000u);
  EXPECT_EQ(LoopsPerFrame(1000, 25, 30, 4), 3000u);
  EXPECT_EQ(LoopsPerFrame(1000, 60, 60, 1), 10000u);
}

v1::LoadRun Play(v1::Load load, FrameWorld& world) {
  load.mutable_frames()->set_loops_per_ms(1000);
  return RunFramesLoad(load, {SystemClock(), "/tmp", "", false, [](double, absl::string_view) {}},
                       &world)
      .value();
}

TEST(RunFramesLoadTest, Measurements) {
  v1::Load load;
  load.set_iterations(1);
  load.set_warmups(1);
  load.mutable_frames()->set_seconds(2);
  FakeWorld world({10}, {{3, 100}});
  const v1::LoadRun run = Play(load, world);
  std::map<std::string, double> second;
  for (const v1::Measurement& m : run.measurements()) {
    EXPECT_EQ(m.warmup(), m.iteration() == 1);
    if (m.iteration() == 1 && m.metric() == "frames.dropped") {
      EXPECT_EQ(m.value(), 2);
    }
    if (m.iteration() == 2) second[m.metric()] = m.value();
  }
  EXPECT_EQ(second["frames.fps"], 25);
  EXPECT_EQ(second["frames.due"], 50);
  EXPECT_EQ(second["frames.dropped"], 0);
  EXPECT_EQ(second["frames.dropped.share"], 0);
  EXPECT_EQ(second["frames.freeze"], 40);
  EXPECT_NEAR(second["frames.time.p50"], 40, 0.04);
  EXPECT_EQ(second["frames.start.max"], 0);
  ASSERT_EQ(run.histograms_size(), 4);
  const v1::LatencyHistogram& start = run.histograms(1);
  EXPECT_EQ(start.metric(), "frames.start");
  EXPECT_TRUE(start.from_intended_start());
  EXPECT_EQ(start.max(), 100000u);
  EXPECT_EQ(start.count(0), 47u);
  EXPECT_EQ(start.duration_ms(), 2000u);
}

TEST(RunFramesLoadTest, OutOfRange) {
  FakeWorld world({1});
  for (const auto& [fps, percent, threads] : std::vector<std::tuple<uint32_t, uint32_t, uint32_t>>{
           {24, 10, 1}, {25, 101, 1}, {25, 10, 65}}) {
    v1::Load load;
    load.mutable_frames()->set_fps(fps);
    load.mutable_frames()->set_cpu_percent(percent);
    load.mutable_frames()->set_threads(threads);
    EXPECT_EQ(
        RunFramesLoad(load, {SystemClock(), "/tmp", "", false, [](double, absl::string_view) {}},
                      &world)
            .status()
            .code(),
        absl::StatusCode::kInvalidArgument)
        << fps;
  }
}

}  // namespace
}  // namespace shakedown::runner
