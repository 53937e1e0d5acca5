#include "controller/compare/statistics/hodges_lehmann.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "controller/compare/statistics/pair_selection.h"
#include "controller/compare/statistics/rank_distributions.h"

namespace shakedown::statistics {
namespace {

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<int64_t> Ranks(int64_t count, const IntervalRank& interval) {
  return {(count + 1) / 2, count / 2 + 1, interval.k, count - interval.k + 1};
}

// `values`: at the ranks of Ranks().
Location FromRanks(const std::vector<double>& values, int64_t count, const IntervalRank& interval) {
  Location location{values[0] + (values[1] - values[0]) / 2, std::nullopt, interval.attained, 0, 0};
  if (!interval.reachable) return location;
  location.interval = Interval{values[2], values[3]};
  location.order_lo = interval.k;
  location.order_hi = count - interval.k + 1;
  return location;
}

}  // namespace

Location HodgesLehmann(std::span<const double> differences, double level) {
  const std::vector<double> sorted = Sorted(differences);
  const auto n = static_cast<int64_t>(sorted.size());
  const int64_t count = n * (n + 1) / 2;
  const IntervalRank interval = SignedRankInterval(n, level);
  std::vector<double> values = SelectSelfSums(sorted, Ranks(count, interval));
  for (double& value : values) value /= 2;
  return FromRanks(values, count, interval);
}

Location HodgesLehmannShift(std::span<const double> base, std::span<const double> challenger,
                            double level) {
  std::vector<double> minus_base(base.begin(), base.end());
  for (double& value : minus_base) value = -value;
  std::sort(minus_base.begin(), minus_base.end());
  const std::vector<double> sorted = Sorted(challenger);
  const auto m = static_cast<int64_t>(minus_base.size());
  const auto n = static_cast<int64_t>(sorted.size());
  const IntervalRank interval = MannWhitneyInterval(m, n, level);
  return FromRanks(SelectSums(minus_base, sorted, Ranks(m * n, interval)), m * n, interval);
}

std::optional<Location> HodgesLehmannRatio(std::span<const double> base,
                                           std::span<const double> challenger, double level) {
  std::vector<double> log_base;
  std::vector<double> log_challenger;
  for (double value : base) {
    if (!(value > 0)) return std::nullopt;
    log_base.push_back(std::log(value));
  }
  for (double value : challenger) {
    if (!(value > 0)) return std::nullopt;
    log_challenger.push_back(std::log(value));
  }
  Location location = HodgesLehmannShift(log_base, log_challenger, level);
  location.estimate = std::exp(location.estimate);
  if (location.interval)
    location.interval = Interval{std::exp(location.interval->lo), std::exp(location.interval->hi)};
  return location;
}

}  // namespace shakedown::statistics
