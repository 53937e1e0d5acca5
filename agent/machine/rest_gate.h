// Whether a laptop is fit to run the next load: on mains power, charged, cool. Pure but for
// ReadForRest(): readings and the time go in.
#ifndef SHAKEDOWN_AGENT_MACHINE_REST_GATE_H_
#define SHAKEDOWN_AGENT_MACHINE_REST_GATE_H_

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace shakedown::agent {

// Nothing: this machine does not tell.
struct RestReading {
  std::optional<bool> on_ac;
  std::optional<double> charge;   // Percent, of the emptiest battery that feeds the machine.
  std::optional<double> celsius;  // Of the hottest thermal zone.
};
// `root` stands before /sys; empty outside tests.
RestReading ReadForRest(const std::string& root = "");

struct RestLimits {
  // Firmware slows a nearly empty machine down also while it is charged.
  double charge = 20;
  // A hotter machine is at rest as soon as it no longer cools down: less than a degree in 30 s.
  double celsius = 60;
  absl::Duration limit = absl::Minutes(5);
};

// Before one load. Mains power is always wanted: on battery a machine is another machine. One
// owner, not thread-safe.
class RestGate {
 public:
  // `now`: of a clock that only grows.
  RestGate(RestLimits limits, absl::Duration now) : limits_(limits), start_(now) {}

  enum class Answer { kWait, kGo, kVoid };
  Answer Step(const RestReading& reading, absl::Duration now);
  // What is waited for, or why the load is void: "ac_lost: the machine runs on battery, mains power
  // is wanted".
  const std::string& text() const { return text_; }

 private:
  bool Cooling(double celsius, absl::Duration now);

  const RestLimits limits_;
  const absl::Duration start_;
  std::optional<double> lowest_;
  absl::Duration lowest_at_;
  std::string text_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_REST_GATE_H_
