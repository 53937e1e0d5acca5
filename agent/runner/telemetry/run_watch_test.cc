#include "agent/runner/telemetry/run_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <map>
#include <string>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

v1::LoadRun Watched(const std::set<pid_t>& own) {
  RunWatch watch(own);
  watch.Sample(absl::ZeroDuration());
  // Children that burn 0.3 s of CPU each, enough of them for 2 % of a large machine: counted once
  // they are waited for as well as while they live.
  const long children = 1 + sysconf(_SC_NPROCESSORS_ONLN) / 16;
  for (long i = 0; i < children; ++i) {
    if (fork() != 0) continue;
    while (clock() < CLOCKS_PER_SEC * 3 / 10) {
    }
    _exit(0);
  }
  while (wait(nullptr) > 0) {
  }
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

TEST(RunWatchTest, TellsAFewSeriesWhileTheLoadRuns) {
  RunWatch watch({});
  v1::TelemetrySample sample;
  watch.Sample(absl::Seconds(5));
  EXPECT_FALSE(watch.Tell(sample)) << "a rate wants two samples";
  const clock_t until = clock() + CLOCKS_PER_SEC / 10;  // The kernel counts in ticks of 1 to 10 ms.
  while (clock() < until) {
  }
  watch.Sample(absl::Seconds(6));
  ASSERT_TRUE(watch.Tell(sample));
  EXPECT_EQ(sample.at_ms(), 1000u);
  std::map<std::string, std::string> units;
  for (const v1::TelemetrySample::Value& value : sample.values()) {
    EXPECT_TRUE(std::isfinite(value.value())) << value.name();
    EXPECT_TRUE(units.emplace(value.name(), value.unit()).second) << value.name();
  }
  EXPECT_EQ(units["vmstat.us"], "%");
  EXPECT_EQ(units["vmstat.cs"], "1/s");
  EXPECT_EQ(units.count("vmstat.free") + units.count("cpu0.use") + units.count("cpu0.freq"), 0u);
  EXPECT_LE(units.size(), 14u);
  EXPECT_LT(sample.ByteSizeLong(), 600u);
}

TEST(RunWatchTest, OurOwnIsNot) {
  std::set<pid_t> all;  // And so all that they start.
  for (const TaskStat& task : ScanTasks()) all.insert(task.pid);
  EXPECT_FALSE(HasForeign(Watched(all)));
}

absl::Duration CpuOfThread() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return absl::DurationFromTimespec(now);
}

// The limit is what people are promised: 0.5 % of one CPU, on this machine with its CPUs and tasks.
TEST(RunWatchTest, CostsLittle) {
  RunWatch watch({getpid()});
  watch.Sample(absl::ZeroDuration());
  constexpr int kSeconds = 100;
  const absl::Duration before = CpuOfThread();
  for (int i = 1; i <= kSeconds; ++i) watch.Sample(absl::Seconds(i));  // Every fifth scans tasks.
  const double percent = 100 * absl::FDivDuration(CpuOfThread() - before, absl::Seconds(kSeconds));
  RecordProperty("percent_of_a_cpu", std::to_string(percent));
  std::cout << "telemetry costs " << percent << " % of a CPU with " << ScanTasks().size()
            << " tasks\n";
  EXPECT_LT(percent, 0.5);
}

}  // namespace
}  // namespace shakedown::runner
