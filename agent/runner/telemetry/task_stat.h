// The tasks of a machine as /proc tells them. Names in it may hold anything.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_TASK_STAT_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_TASK_STAT_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::runner {

// One /proc/PID/stat (proc(5)). Times in ticks of USER_HZ, of all the task's threads.
struct TaskStat {
  pid_t pid = 0, parent = 0;
  std::string command;  // comm: at most 15 bytes of printable ASCII, others as "?".
  char state = '?';
  bool kernel_thread = false;
  uint64_t own_ticks = 0;     // User and system.
  uint64_t waited_ticks = 0;  // Of children that have ended and were waited for, and theirs.
  int32_t priority = 0, nice = 0;
  uint64_t start_ticks = 0;  // Since boot. With the pid: the same task, not another of its number.
  uint64_t virt_bytes = 0;
  uint64_t res_pages = 0;
};

// Nothing when `text` is not such a line.
std::optional<TaskStat> ParseTaskStat(absl::string_view text);

// All tasks now; those that end meanwhile are left out. `proc`: "/proc" outside tests.
std::vector<TaskStat> ScanTasks(const std::string& proc = "/proc");
// One of them; nothing when it is gone.
std::optional<TaskStat> ReadTask(pid_t pid, const std::string& proc = "/proc");

// CPU time since boot of the tasks that are neither kernel threads nor below `own` (with these):
// their own and what they have waited for, so that the time of a task that ends is not lost but
// moves to its parent. Subtract two; a parent that does not wait makes it shrink.
uint64_t ForeignTicks(const std::vector<TaskStat>& tasks, const std::set<pid_t>& own);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_TASK_STAT_H_
