// The samples of the load that runs, kept few: for people who look on. Pure.
#ifndef SHAKEDOWN_AGENT_MACHINE_LIVE_TELEMETRY_H_
#define SHAKEDOWN_AGENT_MACHINE_LIVE_TELEMETRY_H_

#include <cstdint>

#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

// Not thread-safe. The guest is not trusted: what is malformed is left out, and nobody is told,
// since no result is made of it.
class LiveTelemetry {
 public:
  static constexpr int kMostSamples = 120;
  static constexpr int kMostLines = 16;

  // Load `load` begins: nothing is known of it.
  void Begin(uint32_t load);
  // Times must grow. Names of [a-z0-9._-]{1,96}; a value that is no finite number is NaN.
  void Add(const v1::TelemetrySample& sample);
  void Clear() { Begin(0); }

  // Without samples when there are none.
  const v1::LiveTelemetry& view() const { return view_; }

 private:
  void Thin();

  v1::LiveTelemetry view_;
  uint32_t every_ = 1;  // Of so many samples that come one is kept.
  uint32_t come_ = 0;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_LIVE_TELEMETRY_H_
