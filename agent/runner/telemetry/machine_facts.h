// What the machine says of itself at one moment, as far as it can disturb a measurement.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_MACHINE_FACTS_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_MACHINE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace shakedown::runner {

// Nothing: this machine does not tell, or it could not be read now.
struct MachineFacts {
  std::optional<absl::Duration> suspended;    // CLOCK_BOOTTIME less CLOCK_MONOTONIC.
  std::optional<absl::Duration> wall_offset;  // CLOCK_REALTIME less CLOCK_BOOTTIME.
  std::optional<uint64_t> throttled;          // Events of thermal_throttle since boot, all CPUs.
  std::optional<uint64_t> oom_kills;          // Since boot.
  std::optional<bool> on_ac;
  std::optional<std::string> scheduler;  // sched_ext: state, ops, and how often one was enabled.
  std::optional<uint64_t> cpu_ticks, steal_ticks;  // Of all CPUs since boot.
  std::optional<uint64_t> foreign_ticks;           // See ForeignTicks().
};

// The two clock facts; nothing when the thread was interrupted for more than 10 ms in between, five
// times: the difference would tell of that.
void ReadClocks(MachineFacts& facts);
// Of /proc/vmstat, since Linux 4.13.
std::optional<uint64_t> ReadOomKills(const std::string& root = "");
// Whether mains power is there; nothing when the machine has no supply that says so.
std::optional<bool> ReadOnAc(const std::string& root = "");
// "disabled - 0" or "enabled simple 1"; nothing: this kernel has no sched_ext.
std::optional<std::string> ReadScheduler(const std::string& root = "");

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_MACHINE_FACTS_H_
