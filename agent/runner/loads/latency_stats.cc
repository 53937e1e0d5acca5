#include "agent/runner/loads/latency_stats.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace shakedown::runner {
namespace {

using Bucket = LatencyHistogram::Bucket;
constexpr uint64_t kReserved = uint64_t{1} << 36;

template <typename T>
void Append(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool Take(absl::string_view& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

}  // namespace

LatencyStats::LatencyStats() { histogram_.Reserve(kReserved); }

void LatencyStats::Add(uint64_t us) {
  ++moments_.n;
  moments_.total += us;
  const auto value = static_cast<double>(us);
  moments_.sum_of_squares += static_cast<long double>(us) * us;
  const double delta = value - moments_.mean;
  moments_.mean += delta / static_cast<double>(moments_.n);
  moments_.m2 += delta * (value - moments_.mean);
  histogram_.Add(us);
}

double LatencyStats::StandardDeviation() const {
  if (n() < 2) return std::nan("");
  return std::sqrt(moments_.m2 / static_cast<double>(n() - 1));
}

uint64_t LatencyStats::FlooredAverage() const { return n() > 1 ? total() / n() : total(); }

double LatencyStats::InterbenchSd() const {
  if (n() < 2) return 0;
  const auto average = static_cast<long double>(FlooredAverage());
  const auto count = static_cast<long double>(n());
  return static_cast<double>(
      std::sqrt((moments_.sum_of_squares - average * average / count) / (count - 1)));
}

double LatencyStats::Quantile(double q) const {
  return static_cast<double>(histogram_.Quantile(q).value_or(0));
}

std::string LatencyStats::Pack() const {
  std::string bytes;
  Append(moments_, bytes);
  Append(max(), bytes);
  for (const Bucket& bucket : histogram_.Buckets()) Append(bucket, bytes);
  return bytes;
}

absl::StatusOr<LatencyStats> LatencyStats::Unpack(absl::string_view bytes) {
  const size_t size = bytes.size();
  LatencyStats stats;
  uint64_t max = 0;
  bool whole = Take(bytes, stats.moments_) && Take(bytes, max);
  Bucket bucket;
  while (whole && !bytes.empty()) {
    whole = Take(bytes, bucket);
    if (whole) stats.histogram_.Add(bucket.smallest, bucket.count);
  }
  if (!whole || stats.histogram_.Count() != stats.n()) {
    return absl::DataLossError(absl::StrCat("latencies in ", size, " bytes: not whole"));
  }
  if (stats.n() > 0) stats.histogram_.SetMax(max);
  return stats;
}

}  // namespace shakedown::runner
