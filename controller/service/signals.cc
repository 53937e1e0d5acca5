#include "controller/service/signals.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "absl/time/clock.h"

namespace shakedown::service {
namespace {

sigset_t EndSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

EndSignal::EndSignal() {
  const sigset_t set = EndSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

bool EndSignal::Wait(absl::Duration limit) {
  const sigset_t set = EndSignals();
  const absl::Time until = absl::Now() + limit;
  while (!came_) {
    const timespec left = absl::ToTimespec(
        std::max(absl::ZeroDuration(), std::min(until - absl::Now(), absl::Hours(1))));
    const int signal = sigtimedwait(&set, nullptr, &left);
    if (signal > 0) came_ = true;
    if (signal < 0 && errno == EAGAIN && absl::Now() >= until) return false;
  }
  return true;
}

}  // namespace shakedown::service
