#include "controller/compare/statistics/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shakedown::statistics {
namespace {

std::vector<size_t> Ascending(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> Holm(std::span<const double> p) {
  const std::vector<size_t> order = Ascending(p);
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, p[order[i]] * static_cast<double>(order.size() - i));
    adjusted[order[i]] = std::min(1.0, largest);
  }
  return adjusted;
}

std::vector<double> BenjaminiHochberg(std::span<const double> p) {
  const std::vector<size_t> order = Ascending(p);
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  for (size_t i = order.size(); i > 0; --i) {
    smallest = std::min(
        smallest, p[order[i - 1]] * static_cast<double>(order.size()) / static_cast<double>(i));
    adjusted[order[i - 1]] = smallest;
  }
  return adjusted;
}

double SmallestSignedRankP(int64_t pairs) {
  return std::min(1.0, std::ldexp(2.0, static_cast<int>(-std::min<int64_t>(pairs, 1000))));
}

double SmallestMannWhitneyP(int64_t m, int64_t n) {
  const auto a = static_cast<double>(m);
  const auto b = static_cast<double>(n);
  return std::min(1.0,
                  2 * std::exp(std::lgamma(a + 1) + std::lgamma(b + 1) - std::lgamma(a + b + 1)));
}

int64_t PairsForLoneMetric(int64_t family, double q) {
  int64_t pairs = 1;
  while (SmallestSignedRankP(pairs) * static_cast<double>(family) > q && pairs < 1000) ++pairs;
  return pairs;
}

}  // namespace shakedown::statistics
