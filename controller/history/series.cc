#include "controller/history/series.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "controller/compare/statistics/descriptive.h"
#include "controller/history/kernel_filter.h"

namespace shakedown::history {
namespace {

constexpr size_t kJobsOfReference = 3;

using Block = std::pair<int64_t, uint32_t>;  // Job, block.

// What a boot counts for; nullopt: nothing, its block has no reference.
struct Scale {
  const statistics::Metric& metric;
  std::map<Block, double> reference;  // Empty: as measured.
  int of = -1;                        // The reference; -1: none.

  std::optional<double> Value(const BootNumber& boot) const {
    if (of < 0) return boot.median;
    const auto found = reference.find({boot.job, boot.block});
    if (found == reference.end()) return std::nullopt;
    if (metric.scale == statistics::Scale::kDifference) return boot.median - found->second;
    if (!(found->second > 0) || !(boot.median > 0)) return std::nullopt;
    return boot.median / found->second;
  }
};

std::map<Block, double> ReferenceOf(const Numbers& numbers, int kernel) {
  std::map<Block, std::pair<uint32_t, double>> first;  // The earliest variant: A, not its control.
  for (const BootNumber& boot : numbers.boots) {
    if (boot.kernel != kernel) continue;
    const auto [at, added] = first.try_emplace({boot.job, boot.block}, boot.variant, boot.median);
    if (!added && boot.variant < at->second.first) at->second = {boot.variant, boot.median};
  }
  std::map<Block, double> values;
  for (const auto& [block, value] : first) values[block] = value.second;
  return values;
}

void Finish(Point& point, const Scale& scale) {
  std::sort(point.boots.begin(), point.boots.end(), [](const BootNumber* a, const BootNumber* b) {
    return std::tie(a->job, a->block, a->variant, a->attempt) <
           std::tie(b->job, b->block, b->variant, b->attempt);
  });
  std::vector<double> values;
  for (const BootNumber* boot : point.boots) values.push_back(*scale.Value(*boot));
  point.median = statistics::Median(values);
  point.mad = statistics::Mad(values);
  point.newest = (*std::max_element(
                      point.boots.begin(), point.boots.end(),
                      [](const BootNumber* a, const BootNumber* b) { return a->ended < b->ended; }))
                     ->ended;
}

// Epochs of these boots, by their first boot.
std::vector<int> EpochsOf(const std::vector<const BootNumber*>& boots) {
  std::map<int, absl::Time> first;
  for (const BootNumber* boot : boots) {
    const auto [at, added] = first.try_emplace(boot->epoch, boot->ended);
    if (!added) at->second = std::min(at->second, boot->ended);
  }
  std::vector<int> epochs;
  for (const auto& [epoch, time] : first) epochs.push_back(epoch);
  std::sort(epochs.begin(), epochs.end(),
            [&](int a, int b) { return std::pair(first[a], a) < std::pair(first[b], b); });
  return epochs;
}

Series SeriesOf(const Numbers& numbers, const std::string& class_name,
                const std::vector<const BootNumber*>& boots, const Scale& scale) {
  Series series;
  series.class_name = class_name;
  series.relative = scale.of >= 0;
  std::vector<const BootNumber*> kept;
  for (const BootNumber* boot : boots) {
    if (scale.Value(*boot)) kept.push_back(boot);
  }
  series.left_out = boots.size() - kept.size();
  series.epochs = EpochsOf(kept);
  std::map<std::pair<int, int>, Point> points;  // By number of the epoch, kernel.
  for (const BootNumber* boot : kept) {
    const auto epoch =
        std::find(series.epochs.begin(), series.epochs.end(), boot->epoch) - series.epochs.begin();
    Point& point = points[{static_cast<int>(epoch) + 1, boot->kernel}];
    point.epoch = static_cast<int>(epoch) + 1;
    point.kernel = boot->kernel;
    point.boots.push_back(boot);
  }
  for (auto& [key, point] : points) {
    Finish(point, scale);
    series.points.push_back(std::move(point));
  }
  std::stable_sort(series.points.begin(), series.points.end(), [&](const Point& a, const Point& b) {
    if (a.epoch != b.epoch) return a.epoch < b.epoch;
    return InOrder(numbers.kernels[a.kernel], numbers.kernels[b.kernel]);
  });
  return series;
}

bool CoversMost(const std::vector<const BootNumber*>& boots, const Scale& scale) {
  std::set<int> all, related;
  for (const BootNumber* boot : boots) {
    all.insert(boot->kernel);
    if (scale.Value(*boot)) related.insert(boot->kernel);
  }
  return 4 * related.size() >= 3 * all.size();
}

}  // namespace

std::optional<int> PinnedReference(const Numbers& numbers) {
  std::map<int, std::set<int64_t>> jobs;
  for (const BootNumber& boot : numbers.boots) {
    if (boot.variant == 0) jobs[boot.kernel].insert(boot.job);
  }
  std::optional<int> best;
  for (const auto& [kernel, its] : jobs) {
    if (its.size() < kJobsOfReference) continue;
    const size_t most = best ? jobs[*best].size() : 0;
    if (its.size() > most ||
        (its.size() == most && InOrder(numbers.kernels[kernel], numbers.kernels[*best]))) {
      best = kernel;
    }
  }
  return best;
}

std::vector<Series> BuildSeries(const Numbers& numbers, const statistics::Metric& metric,
                                const SeriesOptions& options) {
  Scale related{metric, {}, -1};
  if (const std::optional<int> reference = PinnedReference(numbers);
      reference && !options.absolute) {
    related.reference = ReferenceOf(numbers, *reference);
    related.of = *reference;
  }
  const Scale plain{metric, {}, -1};
  const KernelFilter filter(numbers.kernels, options.since, options.until, options.patterns);
  std::map<std::string, std::vector<const BootNumber*>> classes;
  for (const BootNumber& boot : numbers.boots) {
    const KernelId& kernel = numbers.kernels[boot.kernel];
    if (filter.Wants(kernel)) classes[kernel.class_name].push_back(&boot);
  }
  std::vector<Series> all;
  for (const auto& [name, boots] : classes) {
    const bool relate = related.of >= 0 && CoversMost(boots, related);
    all.push_back(SeriesOf(numbers, name, boots, relate ? related : plain));
  }
  return all;
}

std::vector<Point> ControlSeries(const Numbers& numbers) {
  const std::optional<int> reference = PinnedReference(numbers);
  if (!reference) return {};
  std::map<int64_t, Point> jobs;
  for (const BootNumber& boot : numbers.boots) {
    if (boot.kernel == *reference && boot.variant == 0) jobs[boot.job].boots.push_back(&boot);
  }
  const statistics::Metric none = {};
  std::vector<Point> points;
  for (auto& [job, point] : jobs) {
    point.kernel = *reference;
    Finish(point, {none, {}, -1});
    points.push_back(std::move(point));
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.newest < b.newest; });
  return points;
}

}  // namespace shakedown::history
