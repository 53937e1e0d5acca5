#include "controller/service/history_numbers.h"

#include <algorithm>
#include <map>
#include <optional>

namespace shakedown::service {

history::Numbers ToNumbers(const store::SeriesContent& content) {
  history::Numbers numbers;
  std::map<int64_t, int> kernels, epochs;
  for (const store::HistoryKernel& kernel : content.kernels) {
    kernels[kernel.id] = static_cast<int>(numbers.kernels.size());
    numbers.kernels.push_back(
        {kernel.kernel, kernel.version, kernel.class_name, kernel.failed, kernel.id});
  }
  for (const store::HistoryEpoch& epoch : content.epochs) {
    epochs.emplace(epoch.id, static_cast<int>(epochs.size()));
  }
  for (const store::HistoryBoot& boot : content.boots) {
    history::BootNumber& number = numbers.boots.emplace_back();
    number.kernel = kernels.at(boot.kernel);
    number.epoch = epochs.at(boot.epoch);
    number.job = boot.job;
    number.block = boot.block;
    number.variant = boot.variant;
    number.attempt = boot.attempt;
    number.median = boot.median;
    number.ended = boot.ended;
  }
  return numbers;
}

std::vector<history::KnownStep> ToSteps(const std::vector<store::KnownRegression>& known) {
  std::vector<history::KnownStep> steps;
  for (const store::KnownRegression& one : known) {
    steps.push_back({one.id, one.good, one.bad, one.improvement});
  }
  return steps;
}

statistics::Metric MetricOf(const std::string& name, const std::string& unit,
                            const history::Numbers& numbers, bool* known) {
  const std::optional<statistics::Metric> found = statistics::FindMetric(name);
  *known = found.has_value();
  if (found) return *found;
  const bool ratio =
      unit != "%" && std::all_of(numbers.boots.begin(), numbers.boots.end(),
                                 [](const history::BootNumber& boot) { return boot.median > 0; });
  return statistics::MakeMetric(name, statistics::Direction::kLowerIsBetter,
                                ratio ? statistics::Scale::kRatio : statistics::Scale::kDifference,
                                unit, 0, statistics::Role::kInfo);
}

}  // namespace shakedown::service
