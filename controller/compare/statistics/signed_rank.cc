#include "controller/compare/statistics/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "controller/compare/statistics/rank_distributions.h"

namespace shakedown::statistics {
namespace {

struct Tails {
  double less;
  double greater;
};

Tails ExactTails(const std::vector<int64_t>& doubled_ranks, int64_t doubled_w) {
  const std::vector<long double> probability = SignFlipProbabilities(doubled_ranks);
  long double less = 0;
  long double greater = 0;
  for (int64_t s = 0; s < static_cast<int64_t>(probability.size()); ++s) {
    if (s <= doubled_w) less += probability[s];
    if (s >= doubled_w) greater += probability[s];
  }
  return {static_cast<double>(less), static_cast<double>(greater)};
}

Tails NormalTails(const std::vector<int64_t>& doubled_ranks, double w) {
  long double sum = 0;
  long double squares = 0;  // Ties lower the sum of squares: the tie correction by itself.
  for (int64_t doubled : doubled_ranks) {
    const long double rank = doubled / 2.0L;
    sum += rank;
    squares += rank * rank;
  }
  const auto distance = static_cast<double>(w - sum / 2);
  const auto sd = static_cast<double>(std::sqrt(squares / 4));
  // Beyond 38 standard deviations a double has no probability left; nothing is impossible.
  constexpr double kLeast = std::numeric_limits<double>::min();
  return {std::max(NormalCdf((distance + 0.5) / sd), kLeast),
          std::max(NormalCdf(-(distance - 0.5) / sd), kLeast)};
}

}  // namespace

double RoundTo12Decimals(double value) {
  // From about 4,500 up a double has no 13th decimal, and the product would lose more than it
  // rounds.
  if (std::fabs(value) >= 4096) return value;
  return std::round(value * 1e12) / 1e12;
}

SignedRankTest SignedRank(std::span<const double> differences, Zeros zeros) {
  struct Ranked {
    double size;
    int sign;
  };
  std::vector<Ranked> items;
  SignedRankTest test{0, 0, 0, 1, 1, 1, true};
  for (double difference : differences) {
    const double value = RoundTo12Decimals(difference);
    if (value == 0) ++test.zeros;
    if (value != 0 || zeros == Zeros::kPratt)
      items.push_back({std::fabs(value), value > 0 ? 1 : value < 0 ? -1 : 0});
  }
  std::sort(items.begin(), items.end(),
            [](const Ranked& a, const Ranked& b) { return a.size < b.size; });
  std::vector<double> sizes;
  for (const Ranked& item : items) sizes.push_back(item.size);
  const std::vector<int64_t> doubled = DoubledMidranks(sizes);
  std::vector<int64_t> taking_part;
  int64_t plus = 0;
  int64_t minus = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].sign == 0) continue;
    taking_part.push_back(doubled[i]);
    (items[i].sign > 0 ? plus : minus) += doubled[i];
  }
  test.w_plus = static_cast<double>(plus) / 2;
  test.w_minus = static_cast<double>(minus) / 2;
  if (taking_part.empty()) return test;
  test.exact = static_cast<int64_t>(taking_part.size()) <= kExactPairs;
  const Tails tails =
      test.exact ? ExactTails(taking_part, plus) : NormalTails(taking_part, test.w_plus);
  test.p_less = std::min(1.0, tails.less);
  test.p_greater = std::min(1.0, tails.greater);
  test.p_two_sided = std::min(1.0, 2 * std::min(tails.less, tails.greater));
  return test;
}

}  // namespace shakedown::statistics
