#include "agent/runner/loads/latency_stats.h"

#include <algorithm>
#include <cmath>

namespace shakedown::runner {

void LatencyStats::Add(uint64_t us) {
  ++n_;
  total_ += us;
  max_ = std::max(max_, us);
  const auto value = static_cast<double>(us);
  sum_of_squares_ += static_cast<long double>(us) * us;
  const double delta = value - mean_;
  mean_ += delta / static_cast<double>(n_);
  m2_ += delta * (value - mean_);
  histogram_.Add(us);
}

double LatencyStats::StandardDeviation() const {
  if (n_ < 2) return std::nan("");
  return std::sqrt(m2_ / static_cast<double>(n_ - 1));
}

uint64_t LatencyStats::FlooredAverage() const { return n_ > 1 ? total_ / n_ : total_; }

double LatencyStats::InterbenchSd() const {
  if (n_ < 2) return 0;
  const auto average = static_cast<long double>(FlooredAverage());
  const auto n = static_cast<long double>(n_);
  return static_cast<double>(std::sqrt((sum_of_squares_ - average * average / n) / (n - 1)));
}

double LatencyStats::Quantile(double q) const {
  return std::min(histogram_.Quantile(q), static_cast<double>(max_));
}

}  // namespace shakedown::runner
