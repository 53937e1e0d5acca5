#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What the latency histograms of one load say. A boot's are merged over its measured iterations;
// the numbers of its metrics come from there: quantiles p50 to p99.9 with at least 10 values above
// them, the mean of the worst 1 % of at least 10, and the exact maximum.
class LoadLatencies {
 public:
  using BootData = v1::ReportData::BootData;

  // Measured boots in block order, with their variants. `variants`: how many there are.
  LoadLatencies(const std::vector<std::pair<uint32_t, const BootData*>>& boots, uint32_t load,
                int variants);

  // Adds "latt.wakeup.p99.9" and the like to `metrics` (names with units, in order), each behind
  // the others of its name; those that are there stay.
  void AddNames(std::vector<std::pair<std::string, std::string>>* metrics) const;

  // Whether the histograms of `boot` decide `metric`; then its value in `unit`, absent when they
  // hold too few values for it.
  bool Decides(const BootData& boot, absl::string_view metric, absl::string_view unit,
               std::optional<double>* value) const;

  // For display: of each metric the curve of every boot (the first 100 of a variant) and of all of
  // a variant's together. `metrics` as after AddNames: curves are in their units.
  std::vector<v1::ReportLatency> Curves(
      const std::vector<std::pair<std::string, std::string>>& metrics) const;

 private:
  struct Summary {
    std::string unit;
    uint64_t n = 0;
    uint64_t duration_ms = 0;
    double max = 0;
    std::map<std::string, std::optional<double>, std::less<>> values;  // By kind, in `unit`.
    std::vector<double> curve;
  };
  struct Metric {
    std::string name;
    std::string unit;  // Of the first boot's histograms.
    bool from_intended_start = true;
    std::map<const BootData*, Summary> boots;
    std::vector<std::pair<uint32_t, const BootData*>> order;  // With variants.
    std::vector<v1::ReportLatencyRow> merged;  // One a variant, without boots; in `unit`.
  };

  void AddMetric(const std::string& name,
                 const std::vector<std::pair<uint32_t, const BootData*>>& boots, uint32_t load,
                 int variants);

  std::vector<Metric> metrics_;
};

}  // namespace shakedown::compare
