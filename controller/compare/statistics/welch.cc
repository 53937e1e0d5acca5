#include "controller/compare/statistics/welch.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::statistics {

std::optional<WelchTest> Welch(std::span<const double> base, std::span<const double> challenger,
                               double level) {
  if (base.size() < 2 || challenger.size() < 2) return std::nullopt;
  const auto m = static_cast<double>(base.size());
  const auto n = static_cast<double>(challenger.size());
  const double sd_base = StandardDeviation(base);
  const double sd_challenger = StandardDeviation(challenger);
  const double of_base = sd_base * sd_base / m;
  const double of_challenger = sd_challenger * sd_challenger / n;
  const double variance = of_base + of_challenger;
  if (!(variance > 0)) return std::nullopt;
  WelchTest test;
  test.difference = Mean(challenger) - Mean(base);
  test.t = test.difference / std::sqrt(variance);
  test.df =
      variance * variance / (of_base * of_base / (m - 1) + of_challenger * of_challenger / (n - 1));
  const boost::math::students_t distribution(test.df);
  test.p = 2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(test.t)));
  const double reach =
      boost::math::quantile(boost::math::complement(distribution, (1 - level) / 2)) *
      std::sqrt(variance);
  test.lo = test.difference - reach;
  test.hi = test.difference + reach;
  return test;
}

std::optional<WelchTest> WelchOnLogs(std::span<const double> base,
                                     std::span<const double> challenger, double level) {
  std::vector<double> logs[2];
  const std::span<const double> sides[2] = {base, challenger};
  for (int side = 0; side < 2; ++side) {
    for (double value : sides[side]) {
      if (!(value > 0)) return std::nullopt;
      logs[side].push_back(std::log(value));
    }
  }
  std::optional<WelchTest> test = Welch(logs[0], logs[1], level);
  if (!test) return test;
  test->difference = std::exp(test->difference);
  test->lo = std::exp(test->lo);
  test->hi = std::exp(test->hi);
  return test;
}

}  // namespace shakedown::statistics
