#include "agent/runner/loads/burn.h"

#include <sched.h>
#include <time.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/realtime.h"

namespace shakedown::runner {
namespace {

constexpr int64_t kSecondNs = 1000000000;
constexpr int64_t kMillisecondNs = 1000000;
// Below the silence that an agent takes for a hang.
constexpr int64_t kLimitNs = 60 * kSecondNs;
constexpr uint64_t kFirstGuess = 100000;
constexpr uint64_t kFewestLoops = 1000;

class ThisCpu : public CalibrationWorld {
 public:
  int64_t NowNs() override {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * kSecondNs + t.tv_nsec;
  }
  void Burn(uint64_t loops) override { BurnLoops(loops); }
  void SleepOneSecond() override {
    timespec rest = {1, 0};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
  }
};

int64_t TimeOf(uint64_t loops, CalibrationWorld& world) {
  const int64_t start = world.NowNs();
  world.Burn(loops);
  return world.NowNs() - start;
}

// Restores what the calling thread had.
class PinnedToOneCpu {
 public:
  PinnedToOneCpu() {
    good_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    if (!good_) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &before_)) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
  ~PinnedToOneCpu() {
    if (good_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_;
  bool good_ = false;
};

}  // namespace

__attribute__((noinline)) void BurnLoops(uint64_t loops) {
  for (uint64_t i = 0; i < loops; ++i) asm volatile("" : : : "memory");
}

void BurnMicroseconds(uint64_t loops_per_ms, int64_t us) {
  BurnLoops(loops_per_ms / 1000 * static_cast<uint64_t>(us));
}

absl::StatusOr<uint64_t> Calibrate(CalibrationWorld& world) {
  const int64_t start = world.NowNs();
  while (world.NowNs() - start < kSecondNs) world.Burn(kFirstGuess);  // Lets the clock rise.
  uint64_t loops = kFirstGuess;
  int64_t took = 0, checked = 0;
  while (world.NowNs() - start < kLimitNs) {
    took = TimeOf(loops, world);
    if (took <= 0) return absl::FailedPreconditionError("calibration: the clock does not advance");
    const auto better =
        static_cast<uint64_t>(static_cast<double>(kMillisecondNs) * static_cast<double>(loops) /
                              static_cast<double>(took));
    if (better > 0) loops = better;
    if (took < 990000 || took > 1010000) continue;
    world.SleepOneSecond();
    checked = TimeOf(loops, world);
    if (checked < 950000 || checked > 1050000) continue;
    if (loops >= kFewestLoops) return loops;
    return absl::OutOfRangeError(
        absl::StrCat("calibration: ", loops, " loops per ms, want at least ", kFewestLoops));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "calibration: no steady speed within ", kLimitNs / kSecondNs, " s; last: ", loops,
      " loops took ", took, " ns, after a rest ", checked, " ns, want 1000000 to 1 % and to 5 %"));
}

absl::StatusOr<uint64_t> CalibrateThisCpu() {
  const PinnedToOneCpu pinned;
  const bool realtime = SetFifo(kHighestFifo);
  ThisCpu world;
  absl::StatusOr<uint64_t> loops = Calibrate(world);
  if (realtime) SetOrdinary();
  return loops;
}

}  // namespace shakedown::runner
