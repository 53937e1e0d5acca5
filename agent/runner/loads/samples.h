// All values of one quantity, kept one by one: for loads that yield some thousands.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_SAMPLES_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// Not thread-safe.
class Samples {
 public:
  void Add(uint64_t value) { values_.push_back(value); }
  size_t n() const { return values_.size(); }
  // Of at least one value.
  double Mean() const;
  uint64_t Max() const;
  // The smallest value with at least a share q in (0, 1] of all at or below it.
  uint64_t Quantile(double q) const;
  // Fills buckets and maximum; the caller says what they are of. Cut as
  // controller/compare/statistics/latency_histogram.h cuts them: each value below 2048 has its own,
  // above that each doubling is cut in 1024.
  void Fill(v1::LatencyHistogram& histogram) const;

 private:
  std::vector<uint64_t> Sorted() const;
  std::vector<uint64_t> values_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_SAMPLES_H_
