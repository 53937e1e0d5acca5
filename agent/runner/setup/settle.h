// Waits until a machine has come to rest. Pure: readings and the time go in.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_SETTLE_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_SETTLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

struct SettleReading {
  std::optional<double> load;     // One minute's of /proc/loadavg.
  std::optional<double> celsius;  // Of the hottest thermal zone.
};
SettleReading ReadForSettle(const std::string& root = "");

// Before one load run. Not thread-safe.
class Settler {
 public:
  static constexpr absl::Duration kLimit = absl::Seconds(120);  // Where a step says none.

  // All of `wanted` must hold. `now`: of a clock that only grows.
  Settler(std::vector<v1::Settle> wanted, absl::Duration now)
      : wanted_(std::move(wanted)), start_(now) {}

  // Whether the run may begin. What was not reached in its time is said in warnings().
  bool Step(const SettleReading& reading, absl::Duration now);
  // What is waited for: "settling: load 1.2, at most 0.5 is wanted".
  const std::string& text() const { return text_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  const std::vector<v1::Settle> wanted_;
  const absl::Duration start_;
  std::string text_;
  std::vector<std::string> warnings_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_SETTLE_H_
