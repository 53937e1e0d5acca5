#include "proto/wire/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shakedown {
namespace {

// Below 2048 every value has its own bucket; above, each doubling is cut in 1024.
constexpr int kBits = 11;
constexpr uint64_t kHalf = uint64_t{1} << (kBits - 1);

size_t BucketOf(uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kBits);
  return static_cast<size_t>(shift) * kHalf + (value >> shift);
}
int ShiftOf(size_t bucket) { return bucket < 2 * kHalf ? 0 : static_cast<int>(bucket / kHalf) - 1; }
uint64_t SmallestIn(size_t bucket) {
  const int shift = ShiftOf(bucket);
  return (bucket - static_cast<size_t>(shift) * kHalf) << shift;
}
uint64_t LargestIn(size_t bucket) {
  return SmallestIn(bucket) + ((uint64_t{1} << ShiftOf(bucket)) - 1);
}

// A product such as 0.999 * 1000 must not pass a whole number by a rounding in the last place.
constexpr double kSlack = 1e-12;

}  // namespace

void LatencyHistogram::Add(uint64_t value, uint64_t times) {
  if (times == 0) return;
  const size_t bucket = BucketOf(value);
  if (bucket >= counts_.size()) counts_.resize(bucket + 1, 0);
  counts_[bucket] += times;
  count_ += times;
  max_ = std::max(max_, value);
}

void LatencyHistogram::Reserve(uint64_t largest) {
  const size_t used = counts_.size();
  counts_.resize(std::max(used, BucketOf(largest) + 1), 0);  // Touches every page.
  counts_.resize(used);
}

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size(), 0);
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

uint64_t LatencyHistogram::RankOf(double q) const {
  const double rank = std::ceil(q * static_cast<double>(count_) * (1 - kSlack));
  return std::clamp<uint64_t>(static_cast<uint64_t>(std::max(rank, 1.0)), 1, count_);
}

std::optional<uint64_t> LatencyHistogram::Quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  const uint64_t rank = RankOf(q);
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(LargestIn(i), max_);
  }
  return max_;
}

std::optional<uint64_t> LatencyHistogram::ShownQuantile(double q) const {
  return EnoughForQuantile(count_, q) ? Quantile(q) : std::nullopt;
}

std::optional<double> LatencyHistogram::MeanOfWorst(double share) const {
  if (count_ == 0) return std::nullopt;
  const uint64_t wanted = RankOf(share);
  uint64_t left = wanted;
  double sum = 0;
  for (size_t i = counts_.size(); i > 0 && left > 0; --i) {
    const uint64_t take = std::min(left, counts_[i - 1]);
    const double top = static_cast<double>(std::min(LargestIn(i - 1), max_));
    const double middle = (static_cast<double>(SmallestIn(i - 1)) + top) / 2;
    sum += middle * static_cast<double>(take);
    left -= take;
  }
  return sum / static_cast<double>(wanted);
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::Buckets() const {
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] != 0) buckets.push_back({SmallestIn(i), counts_[i]});
  return buckets;
}

bool EnoughForQuantile(uint64_t n, double q) {
  return static_cast<double>(n) * (1 - q) >= 10 * (1 - kSlack);
}

}  // namespace shakedown
