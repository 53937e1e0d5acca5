#include "agent/runner/loads/interbench_pair.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

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
  absl::StatusOr<std::unique_ptr<TaskResult>> Measure(Task task, Background load) {
    return MeasurePair({task, load, absl::Milliseconds(10), absl::Milliseconds(400)}, settings_);
  }
  BackgroundSettings settings_;
};

TEST_F(MeasurePairTest, EveryCycleIsCountedOnce) {
  const auto result = Measure(Task::kAudio, Background::kBurn);
  ASSERT_TRUE(result.ok()) << result.status();
  const TaskCounters& c = (*result)->counters;
  const LatencyStats& latency = (*result)->latency;
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
  const LatencyStats& latency = (*result)->latency;
  EXPECT_NEAR(DesiredCpu((*result)->counters), 1e4 / (100 + latency.Mean() / 1000), 1e-6);
  EXPECT_EQ((*result)->counters.achieved_burns, 100000 * latency.n());
}

TEST_F(MeasurePairTest, FilesOfTheLoadAreGone) {
  ASSERT_TRUE(Measure(Task::kVideo, Background::kWrite).ok());
  EXPECT_TRUE(std::filesystem::is_empty(settings_.folder));
}

TEST_F(MeasurePairTest, FailureOfTheLoadIsTheResult) {
  const absl::Status status = Measure(Task::kVideo, Background::kRead).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(absl::StrContains(status.message(), "interbench.read")) << status;
}

}  // namespace
}  // namespace shakedown::runner
