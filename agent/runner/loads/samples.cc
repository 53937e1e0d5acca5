#include "agent/runner/loads/samples.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace shakedown::runner {
namespace {

constexpr int kBits = 11;

uint64_t SmallestInBucketOf(uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kBits);
  return value >> shift << shift;
}

}  // namespace

double Samples::Mean() const {
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(n());
}

uint64_t Samples::Max() const { return *std::max_element(values_.begin(), values_.end()); }

std::vector<uint64_t> Samples::Sorted() const {
  std::vector<uint64_t> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

uint64_t Samples::Quantile(double q) const {
  // 0.95 * 20 must not pass 19 by a rounding in the last place.
  const double rank = std::ceil(q * static_cast<double>(n()) * (1 - 1e-12));
  return Sorted()[std::clamp<size_t>(static_cast<size_t>(rank), 1, n()) - 1];
}

void Samples::Fill(v1::LatencyHistogram& histogram) const {
  std::map<uint64_t, uint64_t> counts;
  for (const uint64_t value : values_) ++counts[SmallestInBucketOf(value)];
  for (const auto& [smallest, count] : counts) {
    histogram.add_smallest(smallest);
    histogram.add_count(count);
  }
  if (n() > 0) histogram.set_max(Max());
}

}  // namespace shakedown::runner
