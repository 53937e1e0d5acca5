#include "proto/wire/clock.h"

#include <time.h>

#include "absl/time/clock.h"

namespace shakedown {
namespace {

class RealClock : public Clock {
 public:
  absl::Time Now() override { return absl::Now(); }
  absl::Duration Elapsed() override {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return absl::DurationFromTimespec(now);
  }
  void Sleep(absl::Duration duration) override { absl::SleepFor(duration); }
};

}  // namespace

Clock& SystemClock() {
  static RealClock& clock = *new RealClock;
  return clock;
}

}  // namespace shakedown
