#include "agent/runner/loads/histogram.h"

#include <bit>
#include <cmath>
#include <numeric>

namespace shakedown::runner {

size_t Histogram::BucketOf(uint64_t value) {
  if (value < kSub) return value;
  const int top = std::bit_width(value) - 1;
  if (top >= kTopBit) return kBuckets - 1;
  const int shift = top - kSubBits;
  return kSub + static_cast<size_t>(shift) * kSub + ((value >> shift) - kSub);
}

double Histogram::MiddleOf(size_t bucket) {
  if (bucket < kSub) return static_cast<double>(bucket);
  const size_t shift = (bucket - kSub) / kSub;
  const double low = static_cast<double>((kSub + (bucket - kSub) % kSub) << shift);
  return low + static_cast<double>((uint64_t{1} << shift) - 1) / 2;
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
}

uint64_t Histogram::Count() const {
  return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

double Histogram::Quantile(double q) const {
  const uint64_t count = Count();
  if (count == 0) return 0;
  const auto rank =
      std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(q * static_cast<double>(count))));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= rank) return MiddleOf(i);
  }
  return MiddleOf(kBuckets - 1);
}

}  // namespace shakedown::runner
