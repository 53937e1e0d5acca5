// Which facts of a machine make a load run worthless for comparison. Pure: never a measured value.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_DISTURBANCE_RULES_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_DISTURBANCE_RULES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/runner/telemetry/machine_facts.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

inline constexpr double kMostStealPercent = 1;    // Of all CPUs' time over the load run.
inline constexpr double kMostForeignPercent = 2;  // Likewise.
// Less than this of CPU time is the grain of the counters, not a finding, however short the run.
inline constexpr uint64_t kGrainTicks = 5;
// Between two looks, so that an NTP daemon that slews (at most 0.5 ms/s) is no step.
inline constexpr absl::Duration kMostClockStep = absl::Milliseconds(100);
inline constexpr absl::Duration kMostSuspended = absl::Milliseconds(100);

// Compares each look with the first, clocks with the look before. Not thread-safe.
class DisturbanceRules {
 public:
  // In order of time. A fact that is absent now is left to the looks that have it.
  void See(const MachineFacts& facts);

  // What was broken until now, each rule once: "throttled", "suspended", "clock_stepped", "oom",
  // "ac_lost", "scheduler_changed", "steal", "foreign_cpu".
  std::vector<v1::Disturbance> Found() const;

  // CPU time of the machine that was foreign and stolen from the first look on, in percent.
  std::optional<double> foreign_percent() const;
  std::optional<double> steal_percent() const;

 private:
  void Add(const std::string& rule, std::string fact);
  template <typename Counter>
  void SeeCounter(std::optional<Counter> now, std::optional<Counter>& first,
                  const std::string& rule, const char* what);

  struct Share {
    uint64_t ticks = 0, of = 0;  // Grown by.
    std::optional<double> Percent() const;
  };
  void AddShare(const Share& share, double most, const char* rule, const char* what,
                std::vector<v1::Disturbance>& found) const;

  MachineFacts first_, last_;
  std::optional<uint64_t> ticks_at_foreign_;  // CPU ticks when foreign_ticks was last known.
  Share steal_, foreign_;
  std::map<std::string, std::string> found_;  // Rule → fact.
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_DISTURBANCE_RULES_H_
