// Everything that is recorded beside a load run: series, the busiest tasks, what disturbed it.
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_RUN_WATCH_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_RUN_WATCH_H_

#include <set>
#include <utility>

#include "absl/time/time.h"
#include "agent/runner/telemetry/disturbance_rules.h"
#include "agent/runner/telemetry/sampler.h"
#include "agent/runner/telemetry/top.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// One load run. Not thread-safe.
class RunWatch {
 public:
  // `own`: processes that, with all below them, belong to the measurement: the runner, what guards
  // it, a sched_ext program.
  explicit RunWatch(std::set<pid_t> own) : own_(std::move(own)) {}

  // At the start, about once a second, and at the end; `now` of a clock that only grows. Looks at
  // the machine's tasks every 5 s, and whenever `all` is set.
  void Sample(absl::Duration now, bool all = false);
  // What the last Sample() has added, of the series that people look at while a load runs; a mean
  // of all CPUs' frequencies, the hottest of all zones. False: nothing yet.
  bool Tell(v1::TelemetrySample& sample) const;
  // Adds series, top, disturbances and warnings to the load run. Once.
  void Report(v1::LoadRun& run);

 private:
  MachineFacts Facts(bool all) const;

  const std::set<pid_t> own_;
  Sampler sampler_;
  Top top_;
  DisturbanceRules rules_;
  bool started_ = false;
  absl::Duration begun_, last_;
  absl::Duration next_scan_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_RUN_WATCH_H_
