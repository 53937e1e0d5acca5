// Statistics of latencies in whole microseconds.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LATENCY_STATS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LATENCY_STATS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wire/latency_histogram.h"

namespace shakedown::runner {

// Not thread-safe.
class LatencyStats {
 public:
  // Asks for its memory here: Add() of anything below 19 hours asks for none.
  LatencyStats();
  void Add(uint64_t us);

  uint64_t n() const { return moments_.n; }
  uint64_t total() const { return moments_.total; }
  uint64_t max() const { return histogram_.Max(); }
  const LatencyHistogram& histogram() const { return histogram_; }

  double Mean() const { return moments_.mean; }
  // Of a sample (n - 1). NaN for n < 2.
  double StandardDeviation() const;

  // interbench's average: integer division.
  uint64_t FlooredAverage() const;
  // What interbench calls SD: sqrt((sum of squares - average² / n) / (n - 1)). Nearly the root mean
  // square, never below the average; kept so that new numbers compare with published ones. 0 for n
  // < 2.
  double InterbenchSd() const;

  // See LatencyHistogram::Quantile; 0 without values: ask n() first.
  double Quantile(double q) const;

  // From one process to another of this program.
  std::string Pack() const;
  static absl::StatusOr<LatencyStats> Unpack(absl::string_view bytes);

 private:
  struct Moments {
    uint64_t n = 0;
    uint64_t total = 0;
    long double sum_of_squares = 0;
    double mean = 0;  // Welford's running mean and sum of squared differences.
    double m2 = 0;
  };
  Moments moments_;
  LatencyHistogram histogram_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATENCY_STATS_H_
