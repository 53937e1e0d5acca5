#include "agent/runner/telemetry/top.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TaskStat Task(pid_t pid, uint64_t ticks, uint64_t start = 1) {
  TaskStat task;
  task.pid = pid;
  task.command = "cc1";
  task.state = 'R';
  task.own_ticks = ticks;
  task.start_ticks = start;
  return task;
}

TEST(TopTest, BusiestFirstSinceTheSnapshotBefore) {
  const auto hz = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  Top top("/nonexistent");
  top.Start({Task(5, 100), Task(6, 900), Task(7, 3)}, absl::Seconds(50));
  // 5 used half a CPU, 6 nothing, 8 came and used a whole one; 7 is another than before.
  top.Add({Task(5, 100 + 5 * hz / 2), Task(6, 900), Task(7, 1 + hz, 2), Task(8, 5 * hz, 3)},
          absl::Seconds(55));
  const std::vector<v1::TopSnapshot> taken = top.Take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].at_ms(), 5000u);
  ASSERT_EQ(taken[0].tasks_size(), 3);
  EXPECT_EQ(taken[0].tasks(0).pid(), 8u);
  EXPECT_FLOAT_EQ(taken[0].tasks(0).cpu_percent(), 100);
  EXPECT_EQ(taken[0].tasks(0).time_cs(), 500u);
  EXPECT_EQ(taken[0].tasks(1).pid(), 5u);
  EXPECT_FLOAT_EQ(taken[0].tasks(1).cpu_percent(), 50);
  EXPECT_EQ(taken[0].tasks(2).pid(), 7u);
}

TEST(TopTest, TenTasksAndABoundedPast) {
  Top top("/nonexistent");
  top.Start({}, absl::ZeroDuration());
  constexpr int kCalls = 3000;
  for (int i = 1; i <= kCalls; ++i) {
    std::vector<TaskStat> tasks;
    for (int pid = 1; pid <= 40; ++pid) tasks.push_back(Task(pid, static_cast<uint64_t>(pid * i)));
    top.Add(tasks, i * Top::kEvery);
  }
  const std::vector<v1::TopSnapshot> taken = top.Take();
  EXPECT_LT(taken.size(), Top::kMostSnapshots);
  EXPECT_GT(taken.size(), Top::kMostSnapshots / 4);
  EXPECT_EQ(taken[0].tasks_size(), static_cast<int>(Top::kMostTasks));
  EXPECT_EQ(taken[0].tasks(0).pid(), 40u);
  for (size_t i = 1; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i].at_ms() - taken[i - 1].at_ms(), taken[1].at_ms() - taken[0].at_ms());
  }
}

TEST(TopTest, DescribesARealTask) {
  Top top;
  top.Start({}, absl::ZeroDuration());
  std::optional<TaskStat> self = ReadTask(getpid());
  ASSERT_TRUE(self);
  self->own_ticks += 1;
  top.Add({*self}, absl::Seconds(1));
  const v1::TopTask task = top.Take().at(0).tasks(0);
  EXPECT_EQ(task.uid(), getuid());
  EXPECT_GT(task.res_kib(), 0u);
  EXPECT_GT(task.shr_kib(), 0u);
  EXPECT_GE(task.virt_kib(), task.res_kib());
  EXPECT_GT(task.memory_percent(), 0);
  EXPECT_NE(task.command(), "");
}

}  // namespace
}  // namespace shakedown::runner
