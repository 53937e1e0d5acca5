#include "controller/history/bisect_evidence.h"

#include <algorithm>
#include <cmath>

#include "controller/compare/statistics/hodges_lehmann.h"
#include "controller/compare/statistics/looks.h"

namespace shakedown::history {
namespace {

// Values that never vary still have a print quantum.
constexpr double kSmallestSpread = 1.0 / 50;  // Of the effect.

constexpr double kMostBlocks = 24;
// The effect is known well enough at so many of its standard errors.
constexpr double kSureEffect = 6;
constexpr double kFreedom = 5;
// Normal weights of the effect's, and of the scale's, middle and both sides.
constexpr struct {
  double errors, weight;
} kEffects[] = {{-1.732, 1.0 / 6}, {0, 2.0 / 3}, {1.732, 1.0 / 6}};
constexpr struct { double factor, weight; } kScales[] = {{0.75, 0.25}, {1, 0.5}, {1.4, 0.25}};

double LogT(std::span<const double> values, double centre, double scale) {
  double sum = 0;
  for (const double value : values) {
    const double z = (value - centre) / scale;
    sum -= std::log(scale) + (kFreedom + 1) / 2 * std::log1p(z * z / kFreedom);
  }
  return sum;
}

// log of the weighted sum of exponentials.
class LogSum {
 public:
  void Add(double log_value, double weight) {
    const double value = log_value + std::log(weight);
    const double larger = std::max(sum_, value);
    sum_ = larger + std::log(std::exp(sum_ - larger) + std::exp(value - larger));
  }
  double value() const { return sum_; }

 private:
  double sum_ = -1e300;
};

}  // namespace

double LogOdds(std::span<const double> differences, const SoughtChange& change) {
  if (differences.empty()) return 0;
  LogSum good;
  LogSum bad;
  for (const auto& [factor, scale_weight] : kScales) {
    const double scale = factor * change.scale;
    good.Add(LogT(differences, 0, scale), scale_weight);
    for (const auto& [errors, weight] : kEffects) {
      bad.Add(LogT(differences, change.effect + errors * change.effect_error, scale),
              scale_weight * weight);
    }
  }
  const double most = std::log(kMostOdds);
  return std::clamp(bad.value() - good.value(), -most, most);
}

void AddDeviations(std::span<const double> group, std::vector<double>* deviations) {
  if (group.size() < 2) return;
  const double centre = statistics::Median(group);
  const double n = static_cast<double>(group.size());
  for (const double value : group) {
    // The centre is the group's own, so its values lie closer to it than to the true one.
    deviations->push_back(std::abs(value - centre) * std::sqrt(n / (n - 1)));
  }
}

double ScaleOf(std::span<const double> deviations) {
  return deviations.empty() ? 0 : 1.4826 * statistics::Median(deviations);
}

StepAnswer AnswerOf(double log_odds) {
  if (log_odds >= std::log(kDecidingOdds)) return StepAnswer::kBad;
  if (log_odds <= -std::log(kDecidingOdds)) return StepAnswer::kGood;
  return StepAnswer::kOpen;
}

std::optional<SoughtChange> ChangeBetween(std::span<const double> differences, double min_change) {
  if (differences.size() < statistics::kFewestBlocksToMark) return std::nullopt;
  const auto location = statistics::HodgesLehmann(differences, statistics::kPocockLevel);
  if (!location.interval || location.interval->lo * location.interval->hi <= 0) return std::nullopt;
  if (std::abs(location.estimate) < min_change) return std::nullopt;
  std::vector<double> deviations;
  AddDeviations(differences, &deviations);
  const double n = static_cast<double>(differences.size());
  SoughtChange change;
  change.effect = location.estimate;
  change.scale = std::max(ScaleOf(deviations), kSmallestSpread * std::abs(location.estimate));
  change.effect_error = change.scale / std::sqrt(n);
  if (n < kMostBlocks && std::abs(change.effect) < kSureEffect * change.effect_error) {
    return std::nullopt;
  }
  return change;
}

bool NoChangeBetween(std::span<const double> differences, double min_change) {
  if (differences.size() < statistics::kFewestBlocksToMark) return false;
  const auto location = statistics::HodgesLehmann(differences, statistics::kPocockLevel);
  return location.interval && location.interval->lo > -min_change &&
         location.interval->hi < min_change;
}

bool Shows(std::span<const double> differences, const SoughtChange& change) {
  if (differences.empty()) return false;
  const auto location = statistics::HodgesLehmann(differences, statistics::kPocockLevel);
  if (!location.interval) return false;
  return change.effect > 0 ? location.interval->lo > 0 : location.interval->hi < 0;
}

}  // namespace shakedown::history
