// What the place a load runs in takes away from it: permissions, CPUs, memory. Each shortcoming is
// one line that says what it does to the result.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_CONDITIONS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_CONDITIONS_H_

#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::runner {

// Of this process's control groups; the tightest of all levels.
struct CgroupLimits {
  std::optional<double> cpus;  // CPU time per wall time.
  std::optional<uint64_t> memory_bytes;
};
// `groups`: the text of /proc/self/cgroup; `root`: where the hierarchies are mounted. Both
// versions. What can not be read limits nothing that is known.
CgroupLimits ReadCgroupLimits(absl::string_view groups, const std::string& root = "/sys/fs/cgroup");

struct Conditions {
  bool realtime = true;  // SCHED_FIFO 99 can be had.
  uint32_t online_cpus = 1;
  std::vector<int> cpus;    // This process may use these, ascending.
  uint64_t memory_kib = 0;  // Of the machine.
  CgroupLimits cgroup;
};
Conditions ReadConditions();

// What `conditions` mean for any load: CPUs and memory that it may not use. `load`: its name,
// before each line. Pure.
std::vector<std::string> PlaceWarnings(absl::string_view load, const Conditions& conditions);
// The same and what they mean for one that burns calibrated work and is woken by timekeepers.
std::vector<std::string> ConditionWarnings(absl::string_view load, const Conditions& conditions);

// The CPU that single_cpu and calibration use: 0, or the first that is allowed.
int FirstCpu(const Conditions& conditions);
cpu_set_t JustCpu(int cpu);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_CONDITIONS_H_
