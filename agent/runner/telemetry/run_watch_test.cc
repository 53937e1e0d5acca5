#include "agent/runner/telemetry/run_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

v1::LoadRun Watched(const std::set<pid_t>& own) {
  RunWatch watch(own);
  watch.Sample(absl::ZeroDuration());
  // A child that burns 0.3 s of CPU: counted once it is waited for as well as while it lives.
  const pid_t child = fork();
  if (child == 0) {
    while (clock() < CLOCKS_PER_SEC * 3 / 10) {
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  watch.Sample(absl::Seconds(1), true);
  v1::LoadRun run;
  watch.Report(run);
  return run;
}

bool HasForeign(const v1::LoadRun& run) {
  for (const v1::Disturbance& found : run.disturbances()) {
    if (found.rule() == "foreign_cpu") return true;
  }
  return false;
}

TEST(RunWatchTest, CpuTimeOfOthersIsForeign) {
  // Nothing is ours, so this very test is foreign to itself.
  const v1::LoadRun run = Watched({});
  EXPECT_TRUE(HasForeign(run)) << run.output();
  EXPECT_GT(run.series_size(), 10);
  ASSERT_EQ(run.top_size(), 1);
  EXPECT_EQ(run.top(0).at_ms(), 1000u);
}

TEST(RunWatchTest, OurOwnIsNot) {
  // All that runs here stands below process 1 or is the kernel's.
  EXPECT_FALSE(HasForeign(Watched({1})));
}

}  // namespace
}  // namespace shakedown::runner
