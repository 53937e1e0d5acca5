// Telemetry of a load run: the system's counters once a second.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_SAMPLER_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_SAMPLER_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// Series: vmstat.{r,b} (tasks), vmstat.{free,buff,cache} (KiB), vmstat.{si,so,bi,bo} (KiB/s),
// vmstat.{in,cs} (1/s), vmstat.{us,sy,id,wa,st} (%), psi.{cpu,io,memory}.some.avg10 (%),
// psi.….some.stall (ms/s), sched.run_delay (ms/s: above 1000 when several tasks wait).
// A source that this kernel does not have gives no series. A rate covers the time since the sample
// before. Not thread-safe.
class Sampler {
 public:
  static constexpr absl::Duration kStep = absl::Seconds(1);

  // Reads one file whole; for tests.
  using Reader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

  explicit Sampler(Reader reader);
  Sampler();

  // `now`: of a clock that only grows. The first call is the base of the rates and gives no value.
  // A call that comes late fills the steps it missed with the values of the whole gap.
  void Sample(absl::Duration now);

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
  void Start(const Values& values);
  // Of the time since the sample before; nothing when it could not be read.
  std::optional<double> ValueOf(const v1::Series& series, const Values& now, double seconds) const;

  Reader reader_;
  bool started_ = false;
  absl::Duration last_;
  Values before_;
  std::map<std::string, v1::Series> series_;
  std::vector<std::string> warnings_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_SAMPLER_H_
