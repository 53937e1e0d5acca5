// Tells how far a boot is, when that has changed enough to be worth a word.
#ifndef SHAKEDOWN_AGENT_MACHINE_PROGRESS_TELLER_H_
#define SHAKEDOWN_AGENT_MACHINE_PROGRESS_TELLER_H_

#include <cmath>
#include <string>

#include "agent/machine/machine.h"
#include "agent/machine/runner_session.h"

namespace shakedown::agent {

// Of one boot; `hooks` outlives it. Not thread-safe.
class ProgressTeller {
 public:
  explicit ProgressTeller(const BootHooks& hooks) : hooks_(hooks) {}

  void Tell(const RunnerSession& session) { Tell(session.phase(), session.fraction()); }
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
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_PROGRESS_TELLER_H_
