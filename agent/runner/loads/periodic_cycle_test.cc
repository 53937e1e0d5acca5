#include "agent/runner/loads/periodic_cycle.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

// Clock reads in the order they are made; keeps what was asked for.
class ScriptedWorld : public TaskWorld {
 public:
  explicit ScriptedWorld(std::vector<int64_t> reads) : reads_(std::move(reads)) {}
  int64_t Now() override { return reads_.at(next_++); }
  void Burn(int64_t us) override { burned = us; }
  int64_t Sleep(int64_t us) override {
    slept = us;
    return 7;
  }
  int64_t burned = -1;
  int64_t slept = -1;
  size_t reads_made() const { return next_; }

 private:
  std::vector<int64_t> reads_;
  size_t next_ = 0;
};

struct CycleCase {
  std::string name;
  int64_t oversleep;
  std::vector<int64_t> reads;  // t0, t1 and, unless skipped, t2.
  TaskCounters counters;
  int64_t deadline;
  int64_t slept;
  int64_t sample;
};
class RunCycleTest : public testing::TestWithParam<CycleCase> {};

TEST_P(RunCycleTest, Table) {
  const CycleCase& c = GetParam();
  ScriptedWorld world(c.reads);
  CycleState state;
  state.oversleep = c.oversleep;
  EXPECT_EQ(RunCycle(2500, 50000, state, world), c.sample);
  EXPECT_EQ(state.counters, c.counters);
  EXPECT_EQ(state.deadline, c.deadline);
  EXPECT_EQ(world.slept, c.slept);
  EXPECT_EQ(world.burned, c.reads.size() == 3 ? 2500 : -1);
  EXPECT_EQ(world.reads_made(), c.reads.size());
  EXPECT_EQ(state.oversleep, 7);
}

// Counters: achieved, missed burns, met, missed deadlines.
INSTANTIATE_TEST_SUITE_P(
    , RunCycleTest,
    testing::Values(
        CycleCase{"OnTime", 0, {300, 300, 2800}, {1, 0, 1, 0}, 50000, 47200, 300},
        CycleCase{"OversleepRemoved", 200, {300, 300, 2800}, {1, 0, 1, 0}, 50000, 47200, 100},
        CycleCase{
            "OversleepGreaterThanLateness", 400, {300, 300, 2800}, {1, 0, 1, 0}, 50000, 47200, 0},
        CycleCase{"ExactlyAtDeadline", 0, {0, 0, 50000}, {1, 0, 1, 0}, 50000, 0, 0},
        CycleCase{"SlowBurn", 0, {0, 0, 60000}, {1, 0, 0, 1}, 100000, 40000, 50000},
        CycleCase{"SlowerBurn", 0, {0, 0, 120000}, {1, 2, 0, 2}, 150000, 30000, 100000},
        CycleCase{"ExactlyTwoIntervals", 0, {0, 0, 100000}, {1, 2, 0, 2}, 150000, 50000, 100000},
        CycleCase{"LateWake", 0, {60000, 60000}, {0, 1, 0, 1}, 100000, 40000, 110000},
        CycleCase{"LateWakeTimerLate", 60000, {60000, 60000}, {0, 1, 0, 1}, 100000, 40000, 50000},
        CycleCase{
            "WakeExactlyAtInterval", 0, {50000, 50000, 52500}, {1, 0, 0, 1}, 100000, 47500, 100000},
        CycleCase{
            "SecondReadDecidesTheSkip", 0, {49000, 50001}, {0, 1, 0, 1}, 100000, 49999, 99000}),
    [](const auto& test) { return test.param.name; });

TEST(WholeCpuTest, HasNeitherDeadlineNorSleep) {
  ScriptedWorld world({10, 10, 100010});
  CycleState state;
  state.oversleep = 3;
  EXPECT_EQ(RunCycle(100000, 0, state, world), 7);
  EXPECT_EQ(state.counters, (TaskCounters{1, 0, 0, 0}));
  EXPECT_EQ(state.deadline, 100010);
  EXPECT_EQ(world.slept, -1);
  EXPECT_EQ(state.oversleep, 3);  // Stale, as in the original.
}

// An otherwise idle machine whose every wake-up comes `delay` late and whose burns cost exactly
// their length, or `burn_factor` times that.
class SimulatedWorld : public TaskWorld {
 public:
  explicit SimulatedWorld(int64_t delay, double burn_factor = 1)
      : delay_(delay), burn_factor_(burn_factor) {}
  int64_t Now() override {
    const int64_t now = now_;
    if (!std::exchange(started_, true))
      now_ += delay_;  // The first wake-up is late like all others.
    return now;
  }
  void Burn(int64_t us) override {
    now_ += static_cast<int64_t>(static_cast<double>(us) * burn_factor_);
  }
  int64_t Sleep(int64_t us) override {
    now_ += us + delay_;
    return 0;
  }
  std::function<bool()> After(int64_t us) {
    return [this, us] { return now_ >= us; };
  }

 private:
  int64_t delay_;
  double burn_factor_;
  bool started_ = false;
  int64_t now_ = 0;
};

TaskResult Simulate(Task task, int64_t delay, double burn_factor = 1) {
  SimulatedWorld world(delay, burn_factor);
  TaskResult result;
  RunTask(task, world, world.After(30000000), result);
  return result;
}

TEST(RunTaskTest, UndisturbedForThirtySeconds) {
  const TaskResult audio = Simulate(Task::kAudio, 0);
  EXPECT_EQ(audio.latency.n(), 600u);
  EXPECT_EQ(audio.counters, (TaskCounters{600, 0, 600, 0}));
  const TaskResult video = Simulate(Task::kVideo, 0);
  EXPECT_NEAR(static_cast<double>(video.latency.n()), 1800, 1);
  EXPECT_EQ(DeadlinesMet(video.counters), 100);
  const TaskResult x = Simulate(Task::kX, 0);
  EXPECT_EQ(x.latency.n(), 301u);
  EXPECT_EQ(x.counters, (TaskCounters{301, 0, 299, 0}));
  EXPECT_EQ(x.latency.max(), 0u);
  const TaskResult gaming = Simulate(Task::kGaming, 0);
  EXPECT_EQ(gaming.latency.n(), 300u);
  EXPECT_EQ(DesiredCpu(gaming.counters), 100);
}

struct DelayCase {
  int64_t delay;
  double average_ms, met, desired;
};
class XUnderDelayTest : public testing::TestWithParam<DelayCase> {};
TEST_P(XUnderDelayTest, SlackOfTheRampHidesMost) {
  const TaskResult x = Simulate(Task::kX, GetParam().delay);
  EXPECT_NEAR(x.latency.Mean() / 1000, GetParam().average_ms,
              GetParam().average_ms > 1 ? 0.05 : 0.005);
  EXPECT_NEAR(DeadlinesMet(x.counters), GetParam().met, 0.05);
  EXPECT_NEAR(DesiredCpu(x.counters), GetParam().desired, 0.05);
}
INSTANTIATE_TEST_SUITE_P(, XUnderDelayTest,
                         testing::Values(DelayCase{2000, 0.08, 97.0, 98.0},
                                         DelayCase{5000, 0.42, 89.6, 91.8},
                                         DelayCase{20000, 5.2, 61.9, 71.2}),
                         [](const auto& test) { return std::to_string(test.param.delay) + "us"; });

TEST(RunTaskTest, GamingIdentity) {
  for (double factor : {1.03, 1.724, 2.033, 2.259}) {
    const TaskResult gaming = Simulate(Task::kGaming, 0, factor);
    const double average_ms = gaming.latency.Mean() / 1000;
    EXPECT_NEAR(DesiredCpu(gaming.counters), 1e4 / (100 + average_ms), 1e-6);
  }
}

TEST(RunTaskTest, VideoLatenciesAreWholeIntervalsWhenOnlyBurnsAreSlow) {
  const TaskResult video = Simulate(Task::kVideo, 0, 3.7);
  EXPECT_EQ(video.latency.max() % 16666, 0u);
  EXPECT_GT(video.latency.max(), 0u);
  EXPECT_GE(video.latency.InterbenchSd(), static_cast<double>(video.latency.FlooredAverage()));
}

TEST(RunTaskTest, CustomIsAShareOfItsInterval) {
  for (const auto& [percent, met] : {std::pair(20, 100.0), {100, 100.0}, {1, 100.0}}) {
    SimulatedWorld world(0);
    TaskResult result;
    RunTask(Task::kCustom, world, world.After(30000000), result, {percent, 5000});
    EXPECT_EQ(result.latency.n(), 6000u) << percent;
    EXPECT_EQ(result.latency.max(), 0u);
    EXPECT_EQ(DeadlinesMet(result.counters), met);
  }
  ScriptedWorld world({0, 0, 0, 33});
  TaskResult result;
  RunTask(Task::kCustom, world, [] { return true; }, result, {33, 101});
  EXPECT_EQ(world.burned, 33);  // 33.33 us, truncated.
  EXPECT_EQ(world.slept, 68);
}

TEST(RunTaskTest, StopIsAskedAfterTheCycle) {
  SimulatedWorld world(0);
  TaskResult result;
  RunTask(
      Task::kAudio, world, [] { return true; }, result);
  EXPECT_EQ(result.latency.n(), 1u);
}

TEST(PercentTest, NothingAchievedIsZero) {
  EXPECT_EQ(DesiredCpu({0, 5, 0, 0}), 0);
  EXPECT_EQ(DeadlinesMet({9, 0, 0, 3}), 0);
  EXPECT_EQ(DeadlinesMet({9, 0, 1, 3}), 25);
}

}  // namespace
}  // namespace shakedown::runner
