// Time as an argument, so that no test sleeps.
#ifndef SHAKEDOWN_PROTO_WIRE_CLOCK_H_
#define SHAKEDOWN_PROTO_WIRE_CLOCK_H_

#include "absl/time/time.h"

namespace shakedown {

// Thread-safe. Now() is for display and deadlines that cross processes; Elapsed() is for durations.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() = 0;
  // CLOCK_BOOTTIME since an arbitrary start: only grows, also over suspend.
  virtual absl::Duration Elapsed() = 0;
  virtual void Sleep(absl::Duration duration) = 0;
};

// The machine's clock. Lives as long as the process.
Clock& SystemClock();

// A clock whose hands only move by Sleep() and Advance(). Not thread-safe.
class FakeClock : public Clock {
 public:
  absl::Time Now() override { return absl::UnixEpoch() + elapsed_; }
  absl::Duration Elapsed() override { return elapsed_; }
  void Sleep(absl::Duration duration) override { Advance(duration); }
  void Advance(absl::Duration duration) { elapsed_ += duration; }

 private:
  absl::Duration elapsed_ = absl::ZeroDuration();
};

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_CLOCK_H_
