#include "agent/runner/loads/interbench_pair.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "agent/runner/loads/conditions.h"
#include "gtest/gtest.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {
namespace {

class MeasurePairTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/interbench_pair_test.XXXXXX";
    settings_.folder = mkdtemp(folder);
    settings_.loops_per_ms = 20000;
    settings_.burn_threads = 2;
    settings_.write_bytes = 1 << 20;
  }
  void TearDown() override {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // Both are reaped.
    std::filesystem::remove_all(settings_.folder);
  }
  absl::StatusOr<PairResult> Measure(Task task, Background load) {
    pair_.task = task;
    pair_.load = load;
    pair_.settle = absl::Milliseconds(10);
    pair_.duration = absl::Milliseconds(400);
    return MeasurePair(pair_, settings_);
  }
  Pair pair_;
  BackgroundSettings settings_;
};

TEST_F(MeasurePairTest, EveryCycleIsCountedOnce) {
  const auto result = Measure(Task::kAudio, Background::kBurn);
  ASSERT_TRUE(result.ok()) << result.status();
  const TaskCounters& c = result->task.counters;
  const LatencyStats& latency = result->task.latency;
  EXPECT_GE(latency.n(), 1u);
  EXPECT_LE(latency.n(), 100u);  // 50 ms each; a machine that stands still makes more of them.
  EXPECT_LE(c.deadlines_met, c.achieved_burns);
  EXPECT_LE(c.achieved_burns, latency.n());
  EXPECT_GE(c.deadlines_met + c.deadlines_missed, latency.n());
  EXPECT_EQ(latency.histogram().Count(), latency.n());
}

TEST_F(MeasurePairTest, GamingIdentity) {
  settings_.loops_per_ms = 200000;
  const auto result = Measure(Task::kGaming, Background::kVideo);
  ASSERT_TRUE(result.ok()) << result.status();
  const LatencyStats& latency = result->task.latency;
  EXPECT_NEAR(DesiredCpu(result->task.counters), 1e4 / (100 + latency.Mean() / 1000), 1e-6);
  EXPECT_EQ(result->task.counters.achieved_burns, 100000 * latency.n());
}

TEST_F(MeasurePairTest, FilesOfTheLoadAreGone) {
  ASSERT_TRUE(Measure(Task::kVideo, Background::kWrite).ok());
  EXPECT_TRUE(std::filesystem::is_empty(settings_.folder));
}

TEST_F(MeasurePairTest, FailureOfTheLoadEndsThePairAtOnce) {
  const absl::Duration start = SystemClock().Elapsed();
  pair_.duration = absl::Minutes(10);
  pair_.load = Background::kRead;
  pair_.settle = absl::Minutes(10);
  const absl::Status status = MeasurePair(pair_, settings_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(status.message(), "interbench.read")) << status;
  EXPECT_LT(SystemClock().Elapsed() - start, absl::Minutes(5));
}

TEST_F(MeasurePairTest, AFullDiskIsNamed) {
  std::filesystem::create_symlink("/dev/full", settings_.folder + "/interbench.write");
  const absl::Status status = Measure(Task::kVideo, Background::kWrite).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StrContains(status.message(), "interbench write: no space left on /tmp/"))
      << status;
}

TEST_F(MeasurePairTest, CustomAndNice) {
  settings_.custom = {50, 10000};
  pair_.bench_nice = 3;
  pair_.load_nice = 19;
  const auto result = Measure(Task::kCustom, Background::kCustom);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(result->task.latency.n(), 1u);
  EXPECT_FALSE(result->load_killed);
}

TEST_F(MeasurePairTest, OneCpuAndTheClockOf2009) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  pair_.cpus = JustCpu(FirstCpu(ReadConditions()));
  settings_.world.timekeeper_cpus = before;
  settings_.world.clock = CLOCK_REALTIME;
  const auto result = Measure(Task::kVideo, Background::kBurn);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(result->task.latency.n(), 1u);
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));  // Only while it measured.
}

// Refused where SCHED_FIFO is: then it says so and gives no number.
TEST_F(MeasurePairTest, Realtime) {
  pair_.realtime = true;
  const auto result = Measure(Task::kAudio, Background::kNone);
  if (result.ok()) {
    EXPECT_GE(result->task.latency.n(), 1u);
  } else {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kPermissionDenied) << result.status();
  }
}

// A pass over the file is always completed, and this one never ends.
TEST_F(MeasurePairTest, ALoadThatDoesNotEndIsKilled) {
  std::filesystem::create_symlink("/dev/zero", settings_.folder + "/interbench.read");
  pair_.end_limit = absl::Milliseconds(300);
  const auto result = Measure(Task::kVideo, Background::kRead);
  // A machine that stands still may keep the task from its last cycle as well.
  if (result.ok()) {
    EXPECT_TRUE(result->load_killed);
  } else {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded) << result.status();
  }
}

}  // namespace
}  // namespace shakedown::runner
