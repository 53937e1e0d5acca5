#include "agent/runner/telemetry/task_stat.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

std::string Stat(const std::string& name, const std::string& flags = "4194304") {
  return absl::StrCat(
      "321 (", name, ") S 7 321 321 0 -1 ", flags,
      " 10 20 0 0 100 50 30 -1 20 -5 1 0 9999 8192000 250 18446744073709551615 1 1\n");
}

TEST(TaskStatTest, ReadsTheColumns) {
  const auto task = ParseTaskStat(Stat("cc1"));
  ASSERT_TRUE(task);
  EXPECT_EQ(task->pid, 321);
  EXPECT_EQ(task->parent, 7);
  EXPECT_EQ(task->command, "cc1");
  EXPECT_EQ(task->state, 'S');
  EXPECT_EQ(task->own_ticks, 150u);
  EXPECT_EQ(task->waited_ticks, 30u);  // Older kernels let the sums go below 0.
  EXPECT_EQ(task->priority, 20);
  EXPECT_EQ(task->nice, -5);
  EXPECT_EQ(task->start_ticks, 9999u);
  EXPECT_EQ(task->virt_bytes, 8192000u);
  EXPECT_EQ(task->res_pages, 250u);
  EXPECT_FALSE(task->kernel_thread);
  EXPECT_TRUE(ParseTaskStat(Stat("kthreadd", "2129984"))->kernel_thread);
}

TEST(TaskStatTest, HostileNamesMoveNothing) {
  for (const std::string name : {"a) R 1 (b", ") S 0 0 0", "((((", "a\nb", "\x1b[31m", "", ")"}) {
    const auto task = ParseTaskStat(Stat(name));
    ASSERT_TRUE(task) << name;
    EXPECT_EQ(task->parent, 7) << name;
    EXPECT_EQ(task->own_ticks, 150u) << name;
    EXPECT_LE(task->command.size(), 15u);
    EXPECT_EQ(task->command.find_first_of("\n\x1b"), std::string::npos);
  }
}

TEST(TaskStatTest, OtherTextIsRefused) {
  for (const std::string text :
       {"", "12", "12 (x", "12 x) S 1", "(x) S 1 1", "12 (x) S", "x (x) S 1 1 1 1 1 1",
        "12 (x) 99 7 3",
        "1 (x) S 7 321 321 0 -1 f 10 20 0 0 100 50 30 -1 20 -5 1 0 9999 8192000 250"}) {
    EXPECT_FALSE(ParseTaskStat(text)) << text;
  }
}

TEST(TaskStatTest, FindsThisProcess) {
  const auto self = ReadTask(getpid());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->parent, getppid());
  bool found = false;
  for (const TaskStat& task : ScanTasks()) found = found || task.pid == getpid();
  EXPECT_TRUE(found);
  EXPECT_TRUE(ScanTasks("/nonexistent").empty());
}

TaskStat Task(pid_t pid, pid_t parent, uint64_t ticks, bool kernel = false) {
  TaskStat task;
  task.pid = pid;
  task.parent = parent;
  task.own_ticks = ticks;
  task.waited_ticks = 1000 * ticks;
  task.kernel_thread = kernel;
  return task;
}

TEST(TaskStatTest, ForeignIsWhatIsNeitherOursNorTheKernels) {
  const std::vector<TaskStat> tasks = {Task(1, 0, 1),  Task(2, 0, 5, true), Task(9, 2, 5, true),
                                       Task(50, 1, 2), Task(51, 50, 7),     Task(52, 51, 7),
                                       Task(60, 1, 4), Task(61, 60, 8),     Task(62, 77, 16)};
  EXPECT_EQ(ForeignTicks(tasks, {50}), 1001u * (1 + 4 + 8 + 16));
  EXPECT_EQ(ForeignTicks(tasks, {50, 60}), 1001u * (1 + 16));
  EXPECT_EQ(ForeignTicks(tasks, {}), 1001u * (1 + 2 + 7 + 7 + 4 + 8 + 16));
  EXPECT_EQ(ForeignTicks({Task(5, 6, 1), Task(6, 5, 1)}, {}), 2002u);  // A ring ends, too.
}

}  // namespace
}  // namespace shakedown::runner
