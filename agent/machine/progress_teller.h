// Tells how far a boot is, when that has changed enough to be worth a word.
#ifndef SHAKEDOWN_AGENT_MACHINE_PROGRESS_TELLER_H_
#define SHAKEDOWN_AGENT_MACHINE_PROGRESS_TELLER_H_

#include <cmath>
#include <cstdint>
#include <string>

#include "agent/machine/machine.h"
#include "agent/machine/runner_session.h"

namespace shakedown::agent {

// Of one boot; `hooks` outlives it. Not thread-safe.
class ProgressTeller {
 public:
  explicit ProgressTeller(const BootHooks& hooks) : hooks_(hooks) {}

  void Tell(const RunnerSession& session) {
    Tell(session.phase(), session.fraction());
    const v1::LiveTelemetry& live = session.live();
    const uint32_t newest = live.at_ms().empty() ? 0 : live.at_ms(live.at_ms_size() - 1);
    if (!hooks_.live || newest == told_sample_) return;
    told_sample_ = newest;
    hooks_.live(live);
  }
  void Tell(const std::string& phase, float fraction) {
    if (!hooks_.progress) return;
    if (phase == told_phase_ && std::abs(fraction - told_fraction_) < 0.01f) return;
    told_phase_ = phase;
    told_fraction_ = fraction;
    hooks_.progress(phase, fraction);
  }

 private:
  const BootHooks& hooks_;
  std::string told_phase_;
  float told_fraction_ = -1;
  uint32_t told_sample_ = 0;  // When it was taken; 0: none.
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_PROGRESS_TELLER_H_
