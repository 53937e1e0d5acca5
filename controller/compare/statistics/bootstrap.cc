#include "controller/compare/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "controller/compare/statistics/rank_distributions.h"
#include "controller/plan/split_mix.h"

namespace shakedown::statistics {
namespace {

void Resample(std::span<const double> from, plan::SplitMix64& random, std::vector<double>& into) {
  const auto n = static_cast<double>(from.size());
  for (double& value : into) {
    const double uniform = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    value = from[static_cast<size_t>(uniform * n)];
  }
}

// Adds what one sample gives to the skewness of the statistic: leave out each value in turn.
void AddJackknife(std::span<const double> left_out_of, bool is_base, std::span<const double> other,
                  const TwoSampleStatistic& statistic, double& cubes, double& squares) {
  const size_t n = left_out_of.size();
  if (n < 2) return;
  std::vector<double> leave_one_out;
  std::vector<double> rest(left_out_of.begin() + 1, left_out_of.end());
  for (size_t i = 0; i < n; ++i) {
    leave_one_out.push_back(is_base ? statistic(rest, other) : statistic(other, rest));
    if (i + 1 < n) rest[i] = left_out_of[i];
  }
  const double mean = Mean(leave_one_out);
  double u3 = 0;
  double u2 = 0;
  const auto size = static_cast<double>(n);
  for (double value : leave_one_out) {
    const double u = (size - 1) * (mean - value);
    u3 += u * u * u;
    u2 += u * u;
  }
  cubes += u3 / (size * size * size);
  squares += u2 / (size * size);
}

std::optional<Interval> Bca(const std::vector<double>& sorted, double estimate, double acceleration,
                            double level) {
  const auto strictly_below =
      std::lower_bound(sorted.begin(), sorted.end(), estimate) - sorted.begin();
  const auto at_most = std::upper_bound(sorted.begin(), sorted.end(), estimate) - sorted.begin();
  const double share =
      static_cast<double>(strictly_below + at_most) / 2 / static_cast<double>(sorted.size());
  if (!(share > 0 && share < 1)) return std::nullopt;
  const double bias = NormalQuantile(share);
  const auto adjusted = [&](double p) {
    const double z = bias + NormalQuantile(p);
    return QuantileType7Sorted(sorted, NormalCdf(bias + z / (1 - acceleration * z)));
  };
  return Interval{adjusted((1 - level) / 2), adjusted((1 + level) / 2)};
}

}  // namespace

double MedianDifference(std::span<const double> base, std::span<const double> challenger) {
  return Median(challenger) - Median(base);
}

double MeanDifference(std::span<const double> base, std::span<const double> challenger) {
  return Mean(challenger) - Mean(base);
}

BootstrapResult Bootstrap(std::span<const double> base, std::span<const double> challenger,
                          const TwoSampleStatistic& statistic, const BootstrapOptions& options) {
  plan::SplitMix64 random(options.seed);
  std::vector<double> drawn_base(base.size());
  std::vector<double> drawn_challenger(challenger.size());
  std::vector<double> replicates(options.replicates);
  for (double& replicate : replicates) {
    Resample(base, random, drawn_base);
    Resample(challenger, random, drawn_challenger);
    replicate = statistic(drawn_base, drawn_challenger);
  }
  std::sort(replicates.begin(), replicates.end());
  BootstrapResult result;
  result.estimate = statistic(base, challenger);
  result.percentile = {QuantileType7Sorted(replicates, (1 - options.level) / 2),
                       QuantileType7Sorted(replicates, (1 + options.level) / 2)};
  double cubes = 0;
  double squares = 0;
  AddJackknife(base, true, challenger, statistic, cubes, squares);
  AddJackknife(challenger, false, base, statistic, cubes, squares);
  if (squares > 0)
    result.bca =
        Bca(replicates, result.estimate, cubes / (6 * std::pow(squares, 1.5)), options.level);
  return result;
}

}  // namespace shakedown::statistics
