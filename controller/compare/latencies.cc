#include "controller/compare/latencies.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "controller/compare/statistics/latency_histogram.h"
#include "controller/compare/statistics/stability.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

using statistics::LatencyHistogram;

constexpr struct {
  absl::string_view kind;
  double q;
} kQuantiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};
constexpr absl::string_view kWorst = "worst1pct";
constexpr absl::string_view kMax = "max";

// Denser towards the tail, where schedulers differ.
constexpr double kShares[] = {0,   0.01, 0.025, 0.05, 0.1,   0.15,  0.2,    0.25, 0.3, 0.35,
                              0.4, 0.45, 0.5,   0.55, 0.6,   0.65,  0.7,    0.75, 0.8, 0.85,
                              0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 0.9999, 1};
constexpr size_t kMostCurves = 100;  // Of a variant.

// 0: no unit of time.
double Seconds(absl::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "us" || unit == "usec") return 1e-6;
  return unit == "ns" ? 1e-9 : 0;
}

// Nothing when the two can not be converted.
std::optional<double> Factor(absl::string_view from, absl::string_view to) {
  if (from == to) return 1;
  const double a = Seconds(from);
  const double b = Seconds(to);
  if (a == 0 || b == 0) return std::nullopt;
  // A thousand, not 1e-3 / 1e-6: quotients of powers of ten are inexact, their rounding is not.
  return a > b ? std::round(a / b) : 1 / std::round(b / a);
}

const v1::LoadRun* RunOf(const v1::ReportData::BootData& boot, uint32_t load) {
  for (const v1::LoadRun& run : boot.result().load_runs()) {
    if (run.load() == load) return &run;
  }
  return nullptr;
}

std::vector<double> CurveOf(const LatencyHistogram& histogram) {
  std::vector<double> curve;
  for (const double share : kShares) {
    curve.push_back(static_cast<double>(histogram.Quantile(share).value_or(0)));
  }
  return curve;
}

// In logarithms: the two groups of latencies are factors apart.
std::optional<v1::ReportModes> ModesOf(const LatencyHistogram& histogram) {
  constexpr int kValues = 400;
  if (histogram.Count() < kValues) return std::nullopt;
  std::vector<double> logs;
  for (int i = 0; i < kValues; ++i) {
    logs.push_back(std::log1p(static_cast<double>(*histogram.Quantile((i + 0.5) / kValues))));
  }
  const auto found = statistics::FindTwoModes(logs);
  if (!found) return std::nullopt;
  v1::ReportModes modes;
  modes.set_low_center(std::expm1(found->low_center));
  modes.set_high_center(std::expm1(found->high_center));
  modes.set_low_share(found->low_share);
  return modes;
}

// "latt.wakeup.p99.9" → "p99.9" of "latt.wakeup"; empty when it is of another.
absl::string_view KindOf(absl::string_view metric, absl::string_view histogram) {
  if (!absl::ConsumePrefix(&metric, histogram) || !absl::ConsumePrefix(&metric, ".")) return "";
  return metric;
}

void Scale(double factor, v1::ReportCurve* curve) {
  curve->set_max(curve->max() * factor);
  for (double& value : *curve->mutable_values()) value *= factor;
}

}  // namespace

LoadLatencies::LoadLatencies(const std::vector<std::pair<uint32_t, const BootData*>>& boots,
                             uint32_t load, int variants) {
  std::vector<std::string> names;
  for (const auto& [variant, boot] : boots) {
    const v1::LoadRun* run = RunOf(*boot, load);
    if (run == nullptr) continue;
    for (const v1::LatencyHistogram& histogram : run->histograms()) {
      const bool known = std::find(names.begin(), names.end(), histogram.metric()) != names.end();
      if (!histogram.warmup() && !known) names.push_back(histogram.metric());
    }
  }
  for (const std::string& name : names) AddMetric(name, boots, load, variants);
}

// One histogram at a time is whole in memory, beside those of the variants: one may take half a
// megabyte.
void LoadLatencies::AddMetric(const std::string& name,
                              const std::vector<std::pair<uint32_t, const BootData*>>& boots,
                              uint32_t load, int variants) {
  Metric metric;
  metric.name = name;
  std::vector<LatencyHistogram> merged(static_cast<size_t>(variants));
  for (const auto& [variant, boot] : boots) {
    const v1::LoadRun* run = RunOf(*boot, load);
    if (run == nullptr || variant >= merged.size()) continue;
    LatencyHistogram histogram;
    Summary summary;
    for (const v1::LatencyHistogram& part : run->histograms()) {
      if (part.metric() != name || part.warmup()) continue;
      if (metric.unit.empty()) metric.unit = part.unit();
      if (part.unit() != metric.unit) continue;
      LatencyHistogram one;
      for (int i = 0; i < std::min(part.smallest_size(), part.count_size()); ++i) {
        one.Add(part.smallest(i), part.count(i));
      }
      one.SetMax(part.max());
      histogram.Merge(one);
      summary.duration_ms += part.duration_ms();
      metric.from_intended_start = metric.from_intended_start && part.from_intended_start();
    }
    if (histogram.Count() == 0) continue;
    summary.unit = metric.unit;
    summary.n = histogram.Count();
    summary.max = static_cast<double>(histogram.Max());
    for (const auto& [kind, q] : kQuantiles) {
      const auto value = histogram.ShownQuantile(q);
      summary.values.emplace(
          kind, value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt);
    }
    summary.values.emplace(kWorst, statistics::EnoughForQuantile(summary.n, 0.99)
                                       ? histogram.MeanOfWorst(0.01)
                                       : std::nullopt);
    summary.values.emplace(kMax, summary.max);
    summary.curve = CurveOf(histogram);
    merged[variant].Merge(histogram);
    metric.order.emplace_back(variant, boot);
    metric.boots.emplace(boot, std::move(summary));
  }
  for (size_t v = 0; v < merged.size(); ++v) {
    v1::ReportLatencyRow& row = metric.merged.emplace_back();
    row.set_letter(std::string(1, VariantLetter(static_cast<uint32_t>(v))));
    if (merged[v].Count() == 0) continue;
    row.mutable_merged()->set_n(merged[v].Count());
    row.mutable_merged()->set_max(static_cast<double>(merged[v].Max()));
    for (const double value : CurveOf(merged[v])) row.mutable_merged()->add_values(value);
    if (const auto modes = ModesOf(merged[v])) *row.mutable_modes() = *modes;
  }
  metrics_.push_back(std::move(metric));
}

void LoadLatencies::AddNames(std::vector<std::pair<std::string, std::string>>* metrics) const {
  for (const Metric& metric : metrics_) {
    size_t place = metrics->size();
    std::string unit = metric.unit;
    std::set<std::string, std::less<>> there;
    for (size_t i = 0; i < metrics->size(); ++i) {
      const absl::string_view kind = KindOf((*metrics)[i].first, metric.name);
      if (kind.empty()) continue;
      there.emplace(kind);
      place = i + 1;
      if (kind == kMax || kind == "avg") unit = (*metrics)[i].second;
    }
    const auto add = [&](absl::string_view kind) {
      if (there.count(kind) > 0) return;
      metrics->insert(metrics->begin() + static_cast<long>(place++),
                      {absl::StrCat(metric.name, ".", kind), unit});
    };
    for (const auto& [kind, q] : kQuantiles) add(kind);
    add(kWorst);
    add(kMax);
  }
}

bool LoadLatencies::Decides(const BootData& boot, absl::string_view metric, absl::string_view unit,
                            std::optional<double>* value) const {
  for (const Metric& candidate : metrics_) {
    const absl::string_view kind = KindOf(metric, candidate.name);
    if (kind.empty()) continue;
    const auto found = candidate.boots.find(&boot);
    if (found == candidate.boots.end()) continue;
    const auto number = found->second.values.find(kind);
    const auto factor = Factor(found->second.unit, unit);
    if (number == found->second.values.end() || !factor) continue;
    *value = number->second ? std::optional<double>(*number->second * *factor) : std::nullopt;
    return true;
  }
  return false;
}

std::vector<v1::ReportLatency> LoadLatencies::Curves(
    const std::vector<std::pair<std::string, std::string>>& metrics) const {
  std::vector<v1::ReportLatency> all;
  for (const Metric& metric : metrics_) {
    std::string unit = metric.unit;
    for (const auto& [name, shown] : metrics) {
      if (KindOf(name, metric.name) == kMax && Factor(metric.unit, shown)) unit = shown;
    }
    const double factor = Factor(metric.unit, unit).value_or(1);
    v1::ReportLatency latency;
    latency.set_metric(PrintableLine(metric.name));
    latency.set_unit(PrintableLine(unit));
    latency.set_from_intended_start(metric.from_intended_start);
    for (const double share : kShares) latency.add_shares(share);
    for (const v1::ReportLatencyRow& merged : metric.merged) *latency.add_rows() = merged;
    for (v1::ReportLatencyRow& row : *latency.mutable_rows()) {
      if (row.has_merged()) Scale(factor, row.mutable_merged());
      if (!row.has_modes()) continue;
      row.mutable_modes()->set_low_center(row.modes().low_center() * factor);
      row.mutable_modes()->set_high_center(row.modes().high_center() * factor);
    }
    for (const auto& [variant, boot] : metric.order) {
      v1::ReportLatencyRow* row = latency.mutable_rows(static_cast<int>(variant));
      if (static_cast<size_t>(row->boots_size()) == kMostCurves) continue;
      const Summary& summary = metric.boots.at(boot);
      v1::ReportCurve* curve = row->add_boots();
      curve->set_boot(boot->view().name());
      curve->set_n(summary.n);
      curve->set_duration_ms(summary.duration_ms);
      curve->set_max(summary.max);
      curve->mutable_values()->Assign(summary.curve.begin(), summary.curve.end());
      Scale(factor, curve);
    }
    all.push_back(std::move(latency));
  }
  return all;
}

}  // namespace shakedown::compare
