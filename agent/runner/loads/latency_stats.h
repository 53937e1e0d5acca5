// Statistics of latencies in whole microseconds.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LATENCY_STATS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LATENCY_STATS_H_

#include <cstdint>

#include "agent/runner/loads/histogram.h"

namespace shakedown::runner {

// Plain memory: may lie in memory shared between processes. Not thread-safe.
class LatencyStats {
 public:
  void Add(uint64_t us);

  uint64_t n() const { return n_; }
  uint64_t total() const { return total_; }
  uint64_t max() const { return max_; }
  const Histogram& histogram() const { return histogram_; }

  double Mean() const { return mean_; }
  // Of a sample (n - 1). NaN for n < 2.
  double StandardDeviation() const;

  // interbench's average: integer division.
  uint64_t FlooredAverage() const;
  // What interbench calls SD: sqrt((sum of squares - average² / n) / (n - 1)). Nearly the root mean
  // square, never below the average; kept so that new numbers compare with published ones. 0 for n
  // < 2.
  double InterbenchSd() const;

  // A quantile that never exceeds max(); see Histogram::Quantile.
  double Quantile(double q) const;

 private:
  uint64_t n_ = 0;
  uint64_t total_ = 0;
  uint64_t max_ = 0;
  long double sum_of_squares_ = 0;
  double mean_ = 0;  // Welford's running mean and sum of squared differences.
  double m2_ = 0;
  Histogram histogram_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATENCY_STATS_H_
