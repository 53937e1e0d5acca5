// Counts of values in log-linear buckets: exact below 64, then within 1/64 (1.6 %). Two of them add
// up.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_HISTOGRAM_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_HISTOGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace shakedown::runner {

// Plain memory: may lie in memory shared between processes. Not thread-safe.
class Histogram {
 public:
  void Add(uint64_t value) { ++counts_[BucketOf(value)]; }
  void Merge(const Histogram& other);
  uint64_t Count() const;
  // The value at or below which a share q in (0, 1] of all values lies: the smallest such value to
  // within a bucket (its middle). 0 without values: ask Count() first.
  double Quantile(double q) const;

 private:
  static constexpr int kSubBits = 6;
  static constexpr uint64_t kSub = 1 << kSubBits;
  static constexpr int kTopBit =
      40;  // Values of 2^40 and more (12 days in us) share the last bucket.
  static constexpr size_t kBuckets = kSub + (kTopBit - kSubBits) * kSub;

  static size_t BucketOf(uint64_t value);
  static double MiddleOf(size_t bucket);

  std::array<uint64_t, kBuckets> counts_ = {};
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_HISTOGRAM_H_
