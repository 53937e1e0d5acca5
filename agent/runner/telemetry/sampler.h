// Telemetry of a load run: the system's counters once a second.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_SAMPLER_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_SAMPLER_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/runner/telemetry/proc_text.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// Series, by name:
//   vmstat.{r,b} (tasks), vmstat.{swpd,free,buff,cache} (KiB), vmstat.{si,so,bi,bo} (KiB/s),
//   vmstat.{in,cs} (1/s), vmstat.{us,sy,id,wa,st,gu} (% of all CPUs; gu is not in us)
//   psi.{cpu,io,memory}.{some,full}.avg10 (%), .stall (ms/s)
//   sched.run_delay (ms/s: above 1000 when several tasks wait)
//   cpuN.use (% of that CPU), cpuN.freq (MHz) of CPUs 0 to 63
//   thermal.zoneN (C), throttle.{core,package} (events/s, as all CPUs count them)
// A source that this kernel does not have gives no series. A rate covers the time since the sample
// before. A series of more than kMostSteps values is folded: half as many means, twice the step.
// Not thread-safe.
class Sampler {
 public:
  static constexpr absl::Duration kStep = absl::Seconds(1);
  static constexpr int kMostSteps = 4096;

  // Reads one file whole; for tests.
  using Reader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

  explicit Sampler(Reader reader);
  Sampler();

  // `now`: of a clock that only grows. The first call is the base of the rates and gives no value.
  // A call that comes late fills the steps it missed with the values of the whole gap.
  void Sample(absl::Duration now);

  // What /proc/stat said in the last call; nothing when it could not be read.
  const std::optional<CpuCounters>& cpu() const { return cpu_; }
  // Events counted by thermal_throttle of all CPUs since boot, in the last call; nothing: no such
  // counter.
  std::optional<uint64_t> throttled() const { return throttled_; }

  // What the last call has added: name and value of each series. Empty after the first.
  const std::vector<std::pair<std::string, double>>& newest() const { return newest_; }
  static std::string Unit(absl::string_view name);  // Of a series.

  std::vector<v1::Series> Take();
  // One line for each source that was there at the start and was lost: its series are left out.
  std::vector<std::string> warnings() const { return warnings_; }

 private:
  struct Values {
    std::map<std::string, double> gauges;
    std::map<std::string, double> counters;
  };
  Values Read();
  void ReadCpu(Values& values);
  void ReadMemory(Values& values);
  void ReadWaiting(Values& values);
  void ReadCpus(Values& values, absl::string_view stat);
  void ReadHeat(Values& values);
  // The number in a file, and nothing ever again once the file was not there at the start.
  std::optional<double> NumberIn(const std::string& path);
  void Push(const std::string& name, v1::Series& series, double value);
  void Fold();
  void Start(const Values& values);
  // Of the time since the sample before; nothing when it could not be read.
  std::optional<double> ValueOf(const v1::Series& series, const Values& now, double seconds) const;

  Reader reader_;
  bool started_ = false;
  absl::Duration last_;
  Values before_;
  std::map<std::string, v1::Series> series_;
  std::vector<std::pair<std::string, double>> newest_;
  std::set<std::string> absent_;  // Files.
  std::vector<uint32_t> cpus_;    // Seen in the last /proc/stat.
  std::optional<CpuCounters> cpu_;
  std::optional<uint64_t> throttled_;
  // A value of a series is the mean of so many samples; the sums of those since the last value.
  long folded_ = 1;
  std::map<std::string, std::pair<double, long>> open_;
  std::vector<std::string> warnings_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_SAMPLER_H_
