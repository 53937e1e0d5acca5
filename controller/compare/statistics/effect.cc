#include "controller/compare/statistics/effect.h"

#include <algorithm>
#include <cmath>

#include "controller/compare/statistics/hodges_lehmann.h"
#include "controller/compare/statistics/mann_whitney.h"
#include "controller/compare/statistics/signed_rank.h"

namespace shakedown::statistics {
namespace {

// The values on the scale in which changes add up. nullopt: a ratio of what is not above 0.
std::optional<std::vector<double>> OnScale(Scale scale, std::span<const double> values) {
  std::vector<double> scaled(values.begin(), values.end());
  if (scale == Scale::kDifference) return scaled;
  for (double& value : scaled) {
    if (!(value > 0)) return std::nullopt;
    value = std::log(value);
  }
  return scaled;
}

Effect Describe(std::span<const double> base, std::span<const double> challenger, double level) {
  Effect effect;
  effect.n_base = static_cast<int64_t>(base.size());
  effect.n_challenger = static_cast<int64_t>(challenger.size());
  effect.base_median = Median(base);
  effect.base_mad = Mad(base);
  effect.challenger_median = Median(challenger);
  effect.challenger_mad = Mad(challenger);
  effect.level = level;
  return effect;
}

void SetLocation(Effect& effect, Scale scale, const Location& location) {
  const auto back = [scale](double change) {
    return scale == Scale::kRatio ? std::expm1(change) : change;
  };
  effect.estimate = back(location.estimate);
  effect.attained = location.attained;
  if (location.interval)
    effect.interval = Interval{back(location.interval->lo), back(location.interval->hi)};
}

// Ranking rounds to 12 decimals, which would wipe out differences of picoseconds told in seconds:
// such are first brought up to about 1.
std::vector<double> ForRanking(std::vector<double> differences) {
  double largest = 0;
  for (double difference : differences) largest = std::max(largest, std::fabs(difference));
  if (largest > 0 && largest < 1e-6) {
    const int exponent = std::ilogb(largest);
    for (double& difference : differences) difference = std::ldexp(difference, -exponent);
  }
  return differences;
}

}  // namespace

std::optional<Effect> ComparePaired(const Metric& metric, std::span<const double> base,
                                    std::span<const double> challenger, double level) {
  if (base.empty() || base.size() != challenger.size()) return std::nullopt;
  if (!OnScale(metric.scale, base) || !OnScale(metric.scale, challenger)) return std::nullopt;
  Effect effect = Describe(base, challenger, level);
  effect.paired = true;
  for (size_t i = 0; i < base.size(); ++i)
    effect.differences.push_back(metric.scale == Scale::kRatio ? std::log(challenger[i] / base[i])
                                                               : challenger[i] - base[i]);
  SetLocation(effect, metric.scale, HodgesLehmann(effect.differences, level));
  const SignedRankTest test = SignedRank(
      metric.scale == Scale::kRatio ? effect.differences : ForRanking(effect.differences));
  effect.p = test.p_two_sided;
  effect.exact = test.exact;
  return effect;
}

std::optional<Effect> CompareUnpaired(const Metric& metric, std::span<const double> base,
                                      std::span<const double> challenger, double level) {
  if (base.empty() || challenger.empty()) return std::nullopt;
  const std::optional<std::vector<double>> scaled_base = OnScale(metric.scale, base);
  const std::optional<std::vector<double>> scaled_challenger = OnScale(metric.scale, challenger);
  if (!scaled_base || !scaled_challenger) return std::nullopt;
  Effect effect = Describe(base, challenger, level);
  effect.paired = false;
  SetLocation(effect, metric.scale, HodgesLehmannShift(*scaled_base, *scaled_challenger, level));
  // On the values themselves: a logarithm keeps their order but may make equals of neighbours.
  const MannWhitneyTest test = MannWhitney(base, challenger);
  effect.p = test.P();
  effect.exact = test.exact.has_value() || test.all_equal;
  return effect;
}

}  // namespace shakedown::statistics
