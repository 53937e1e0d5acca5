// The kernel's counters, parsed. Everything here is pure: text in, numbers out. A number that is
// not there is an error that names it, never 0.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_PROC_TEXT_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_PROC_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shakedown::runner {

// /proc/stat. CPU times in ticks of USER_HZ over all CPUs since boot; guest time is inside user.
struct CpuCounters {
  uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  std::optional<uint64_t> guest;  // With nice guests; since Linux 2.6.33.
  uint64_t interrupts = 0;
  uint64_t context_switches = 0;
  uint64_t running = 0;  // Runnable now, with the reader.
  uint64_t blocked = 0;
  uint64_t Total() const { return user + nice + system + idle + iowait + irq + softirq + steal; }
};
absl::StatusOr<CpuCounters> ParseProcStat(absl::string_view text);

// The lines of single CPUs in /proc/stat, in their order; those that are offline have none. Ticks.
struct OneCpu {
  uint32_t cpu = 0;
  uint64_t busy = 0;  // Neither idle nor waiting for I/O; time stolen counts as busy.
  uint64_t total = 0;
};
absl::StatusOr<std::vector<OneCpu>> ParseCpuLines(absl::string_view text);

// Percent of all CPU time between two reads that was idle (waiting for I/O included).
// FailedPrecondition: no tick has passed.
absl::StatusOr<double> IdlePercent(const CpuCounters& before, const CpuCounters& after);

// A line "name value" of /proc/vmstat.
absl::StatusOr<uint64_t> VmstatCounter(absl::string_view text, absl::string_view name);

// The line `kind` ("some" or "full") of /proc/pressure/*.
struct Pressure {
  double avg10 = 0;       // Percent.
  uint64_t total_us = 0;  // Since boot.
};
absl::StatusOr<Pressure> ParsePressure(absl::string_view text, absl::string_view kind = "some");

// The run-queue delay of all CPUs since boot: the time tasks were runnable and did not run. `text`:
// a whole /proc/schedstat, version 15 to 17. Nanoseconds, being rq_clock() differences
// (kernel/sched/stats.h). Subtract two reads. Unimplemented: another version.
absl::StatusOr<absl::Duration> TotalRunDelay(absl::string_view text);

// The value after `key` and a colon in text like /proc/cpuinfo and /proc/meminfo ("MemTotal:   12
// kB" gives "12 kB"); empty when no line has the key. First match.
std::string FieldOf(absl::string_view text, absl::string_view key);

// KiB from /proc/meminfo's text; InvalidArgument when the key is missing or not a number.
absl::StatusOr<uint64_t> MeminfoKib(absl::string_view meminfo, absl::string_view key);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_PROC_TEXT_H_
