#include "controller/compare/footnotes.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_verdicts.h"

namespace shakedown::compare {
namespace {

// A difference in the metric's scale, as a change of A.
std::string DifferenceText(const v1::ReportMetric& metric, double difference) {
  if (metric.scale() == "ratio") return Change(100 * std::expm1(difference));
  return absl::StrFormat("%+.3g%s%s", difference, metric.unit() == "1" ? "" : " ",
                         metric.unit() == "1" ? "" : metric.unit());
}

// Of the histogram that the metric is a number of.
const v1::ReportLatency* LatencyOf(const v1::ReportLoad& load, const v1::ReportMetric& metric) {
  for (const v1::ReportLatency& latency : load.latencies()) {
    if (absl::StartsWith(metric.name(), absl::StrCat(latency.metric(), "."))) return &latency;
  }
  return nullptr;
}

// The p50 or the average stands for all of a histogram's metrics: said once.
bool SpeaksForTheHistogram(const v1::ReportMetric& metric) {
  return absl::EndsWith(metric.name(), ".avg") || absl::EndsWith(metric.name(), ".p50");
}

void AddLatencyModes(const v1::ReportLoad& load, const v1::ReportMetric& metric,
                     std::vector<std::string>* notes) {
  const v1::ReportLatency* latency = LatencyOf(load, metric);
  if (latency == nullptr || !SpeaksForTheHistogram(metric)) return;
  for (const v1::ReportLatencyRow& row : latency->rows()) {
    if (!row.has_modes()) continue;
    notes->push_back(absl::StrFormat(
        "two modes of %s's latencies: %.0f%% around %.3g, %.0f%% around %.3g %s", row.letter(),
        100 * row.modes().low_share(), row.modes().low_center(),
        100 * (1 - row.modes().low_share()), row.modes().high_center(), latency->unit()));
  }
}

}  // namespace

std::string NoiseText(const v1::ReportMetric& metric, const v1::ReportNoise& noise) {
  std::string sd;
  if (noise.has_sd() && metric.scale() == "ratio") {
    sd = absl::StrFormat("sd %.2g%% a block, ", 100 * noise.sd());
  } else if (noise.has_sd()) {
    sd = absl::StrFormat("sd %.2g%s%s a block, ", noise.sd(), metric.unit() == "1" ? "" : " ",
                         metric.unit() == "1" ? "" : metric.unit());
  }
  return absl::StrFormat("A/A noise, %s: %sn %d, false alarms %d of %d", noise.machine(), sd,
                         noise.blocks(), noise.false_alarms(), noise.tests());
}

std::vector<std::string> FootnotesOf(const v1::ReportLoad& load, const v1::ReportMetric& metric,
                                     const v1::ReportComparison& comparison) {
  std::vector<std::string> notes;
  // A column says it.
  if (!comparison.note().empty() && comparison.note() != "for information, not tested") {
    notes.push_back(comparison.note());
  }
  if (comparison.has_more_blocks()) {
    notes.push_back(absl::StrCat("undecided: about ", comparison.more_blocks(),
                                 comparison.more_blocks() == 1 ? " more block" : " more blocks",
                                 " would settle it"));
  }
  if (comparison.drifts()) notes.push_back("drift: the changes follow the time");
  if (comparison.has_modes()) {
    const v1::ReportModes& modes = comparison.modes();
    notes.push_back(
        absl::StrFormat("two modes of the changes: %.0f%% of the blocks around %s, the "
                        "others around %s",
                        100 * modes.low_share(), DifferenceText(metric, modes.low_center()),
                        DifferenceText(metric, modes.high_center())));
  }
  if (comparison.has_slow_start_z()) {
    notes.push_back(
        absl::StrFormat("slow start: the first block is %.0f times the others' spread "
                        "away from them",
                        std::fabs(comparison.slow_start_z())));
  }
  AddLatencyModes(load, metric, &notes);
  for (const v1::ReportNoise& noise : metric.noise()) notes.push_back(NoiseText(metric, noise));
  if (std::string machines = MachinesText(comparison); !machines.empty()) {
    notes.push_back(std::move(machines));
  }
  return notes;
}

}  // namespace shakedown::compare
