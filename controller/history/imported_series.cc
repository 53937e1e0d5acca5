#include "controller/history/imported_series.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/history/kernel_filter.h"
#include "controller/history/kernel_key.h"
#include "controller/history/order_key.h"

namespace shakedown::history {
namespace {

using SeriesKey = std::tuple<std::string, std::string, std::string>;  // Machine, detail, unit.
using Numbers = std::vector<const ImportedNumber*>;
using Kernels = std::map<std::string, Numbers>;  // By name and tunables.

std::string TextOf(const ImportedNumber& number) {
  return number.tunables.empty() ? number.kernel
                                 : absl::StrCat(number.kernel, " ", number.tunables);
}

// Without its tunables, and with them as a name of its own.
std::vector<KernelId> IdsOf(const ImportedNumber& number) {
  const std::string version = VersionInName(number.kernel);
  return {{number.kernel, version, "", 0, 0}, {TextOf(number), version, "", 0, 0}};
}

KernelFilter FilterOf(const std::vector<ImportedNumber>& numbers, const ImportedOptions& options) {
  std::vector<KernelId> kernels;
  std::set<std::string> seen;
  for (const ImportedNumber& number : numbers) {
    if (!seen.insert(TextOf(number)).second) continue;
    for (KernelId& id : IdsOf(number)) kernels.push_back(std::move(id));
  }
  return KernelFilter(kernels, options.since, options.until, options.patterns);
}

// The same numbers give the same point, in whatever order they come.
ImportedPoint PointOf(const std::string& kernel, const Numbers& numbers) {
  ImportedPoint point;
  point.kernel = kernel;
  point.name = numbers.front()->kernel;
  point.version = VersionInName(point.name);
  std::vector<double> values;
  for (const ImportedNumber* number : numbers) {
    values.push_back(number->value);
    point.starred = point.starred || number->starred;
    point.imports.insert(number->import);
  }
  point.runs = static_cast<uint32_t>(values.size());
  point.median = statistics::Median(values);
  point.mad = values.size() > 1 ? statistics::Mad(values) : 0;
  return point;
}

// Tunables are ordered as versions are: rr_interval=2 before rr_interval=10.
bool Before(const ImportedPoint& a, const ImportedPoint& b) {
  if (const int order = CompareOrderKeys(a.version, b.version); order != 0) return order < 0;
  if (const int order = CompareOrderKeys(a.kernel, b.kernel); order != 0) return order < 0;
  return a.kernel < b.kernel;
}

std::string DirectionOf(const Kernels& kernels) {
  std::set<std::string> said;
  for (const auto& [kernel, numbers] : kernels) {
    for (const ImportedNumber* number : numbers) said.insert(number->direction);
  }
  said.erase("");
  return said.size() == 1 ? *said.begin() : "";
}

}  // namespace

std::vector<ImportedSeries> BuildImportedSeries(const std::vector<ImportedNumber>& numbers,
                                                const ImportedOptions& options) {
  const KernelFilter filter = FilterOf(numbers, options);
  std::map<SeriesKey, Kernels> found;
  for (const ImportedNumber& number : numbers) {
    const std::vector<KernelId> ids = IdsOf(number);
    if (std::none_of(ids.begin(), ids.end(), [&](const KernelId& id) { return filter.Wants(id); }))
      continue;
    found[{number.machine, number.detail, number.unit}][TextOf(number)].push_back(&number);
  }
  std::vector<ImportedSeries> all;
  for (const auto& [key, kernels] : found) {
    ImportedSeries& series = all.emplace_back();
    std::tie(series.machine, series.detail, series.unit) = key;
    series.direction = DirectionOf(kernels);
    for (const auto& [kernel, its] : kernels) series.points.push_back(PointOf(kernel, its));
    std::sort(series.points.begin(), series.points.end(), Before);
  }
  return all;
}

}  // namespace shakedown::history
