#include "controller/compare/statistics/repetitions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/multiplicity.h"
#include "controller/compare/statistics/rank_distributions.h"

namespace shakedown::statistics {
namespace {

// The signed-rank test needs pi/3 times the pairs of the t test when the noise is normal.
constexpr double kRankPrice = 3.14159265358979323846 / 3;

// Half the squared z of the test makes up for the sd being estimated from the same few blocks.
double Blocks(double effect_over_sd, double level, double power) {
  const double z_test = NormalQuantile((1 + level) / 2);
  const double z = (z_test + NormalQuantile(power)) / effect_over_sd;
  return kRankPrice * z * z + z_test * z_test / 2;
}

int64_t FewestBlocks(double level) {
  int64_t blocks = 1;
  while (SmallestSignedRankP(blocks) > 1 - level + 1e-12 && blocks < 1000) ++blocks;
  return blocks;
}

}  // namespace

std::optional<RepetitionPlan> PlanRepetitions(const std::vector<std::vector<double>>& boots,
                                              double iteration_cost, double boot_cost) {
  std::vector<double> means;
  std::vector<double> variances;
  double reciprocals = 0;
  for (const std::vector<double>& boot : boots) {
    if (boot.size() < 2) continue;
    const double sd = StandardDeviation(boot);
    means.push_back(Mean(boot));
    variances.push_back(sd * sd);
    reciprocals += 1.0 / static_cast<double>(boot.size());
  }
  if (means.size() < 2) return std::nullopt;
  const double sd_of_means = StandardDeviation(means);
  RepetitionPlan plan;
  plan.iteration_variance = Mean(variances);
  plan.boot_variance = sd_of_means * sd_of_means -
                       plan.iteration_variance * reciprocals / static_cast<double>(means.size());
  if (plan.iteration_variance <= 0) {
    plan.iterations = 1;  // Iterations repeat each other: one says it all.
  } else if (plan.boot_variance <= 0) {
    plan.iterations = kMostIterations;  // Boots differ no more than iterations: the cheap ones.
  } else {
    const double best =
        std::sqrt(boot_cost / iteration_cost * plan.iteration_variance / plan.boot_variance);
    plan.iterations = static_cast<int>(std::clamp(std::ceil(best), 1.0, 1.0 * kMostIterations));
  }
  return plan;
}

int64_t BlocksToDetect(double effect, double sd, double level, double power) {
  const double blocks = std::ceil(Blocks(std::fabs(effect) / sd, level, power));
  // A difference of 0 is never found; 10^15 is as good as that and still a number.
  const auto bounded = static_cast<int64_t>(std::isfinite(blocks) ? std::min(blocks, 1e15) : 1e15);
  return std::max(bounded, FewestBlocks(level));
}

double DetectableEffect(int64_t blocks, double sd, double level, double power) {
  const double z_test = NormalQuantile((1 + level) / 2);
  const double left = static_cast<double>(blocks) - z_test * z_test / 2;
  if (blocks < FewestBlocks(level) || left <= 0) return std::numeric_limits<double>::infinity();
  return sd * (z_test + NormalQuantile(power)) * std::sqrt(kRankPrice / left);
}

}  // namespace shakedown::statistics
