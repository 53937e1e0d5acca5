// Counts of latencies in buckets that grow with the value: three significant digits from 1 ns to
// centuries in at most 56,000 counters. Histograms of boots, clients and CPUs add up.
#ifndef SHAKEDOWN_PROTO_WIRE_LATENCY_HISTOGRAM_H_
#define SHAKEDOWN_PROTO_WIRE_LATENCY_HISTOGRAM_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace shakedown {

class LatencyHistogram {
 public:
  void Add(uint64_t value, uint64_t times = 1);
  // Values up to `largest` need no memory from now on: for who must not ask for it while it
  // measures.
  void Reserve(uint64_t largest);
  // The result is the same as if every value of `other` had been added here.
  void Merge(const LatencyHistogram& other);

  uint64_t Count() const { return count_; }
  uint64_t Max() const { return max_; }  // Exact. 0 when empty.

  // The smallest value with a cumulative count of at least ceil(q * N), as the largest value of its
  // bucket (at most 0.1 % above the true one) and never above the maximum. nullopt when empty.
  std::optional<uint64_t> Quantile(double q) const;
  // The same, but nullopt as well when fewer than 10 values are expected above it: then it says
  // little more than the maximum does.
  std::optional<uint64_t> ShownQuantile(double q) const;
  // Mean of the largest ceil(share * N) values, each taken as the middle of its bucket: steadier
  // than the maximum. nullopt when empty.
  std::optional<double> MeanOfWorst(double share = 0.01) const;

  // Non-empty buckets as (smallest value, count), ascending, to store; Add() of each restores the
  // counts. The maximum is kept apart: add it with SetMax.
  struct Bucket {
    uint64_t smallest;
    uint64_t count;
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  std::vector<Bucket> Buckets() const;
  void SetMax(uint64_t max) { max_ = max; }

  friend bool operator==(const LatencyHistogram&, const LatencyHistogram&) = default;

 private:
  uint64_t RankOf(double q) const;

  std::vector<uint64_t> counts_;  // By bucket; its size follows the largest bucket used.
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

// Whether N * (1 - q) >= 10.
bool EnoughForQuantile(uint64_t n, double q);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_LATENCY_HISTOGRAM_H_
