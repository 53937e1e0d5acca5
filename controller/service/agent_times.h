// How long agents' calls take and how much they bring, for /metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace shakedown::service {

// Durations in fixed buckets, as Prometheus counts them. Thread-safe, without locks.
class DurationCounts {
 public:
  // Upper ends in seconds; what is longer is in the count alone.
  static constexpr std::array<double, 9> kEnds = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                                  0.1,   0.25,   1,     5};

  void Add(absl::Duration duration) {
    const double seconds = absl::ToDoubleSeconds(duration);
    for (size_t i = 0; i < kEnds.size(); ++i) {
      if (seconds <= kEnds[i]) ++below_[i];
    }
    ++count_;
    sum_us_ += static_cast<uint64_t>(absl::ToInt64Microseconds(duration));
  }
  uint64_t Below(size_t end) const { return below_[end]; }
  uint64_t Count() const { return count_; }
  double SumSeconds() const { return static_cast<double>(sum_us_) / 1e6; }

 private:
  std::array<std::atomic<uint64_t>, kEnds.size()> below_ = {};
  std::atomic<uint64_t> count_ = 0;
  std::atomic<uint64_t> sum_us_ = 0;
};

struct AgentTimes {
  DurationCounts sync;                     // One look of a Sync: a held call looks many times.
  DurationCounts report;                   // Storing a boot's result.
  std::atomic<uint64_t> results = 0;       // Boots' results that were stored.
  std::atomic<uint64_t> measurements = 0;  // In them.
  std::atomic<uint64_t> log_bytes = 0;
};

}  // namespace shakedown::service
