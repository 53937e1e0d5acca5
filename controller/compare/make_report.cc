#include "controller/compare/make_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/comparability.h"
#include "controller/compare/control.h"
#include "controller/compare/differences.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/judge_report.h"
#include "controller/compare/latencies.h"
#include "controller/compare/median.h"
#include "controller/compare/repeat.h"
#include "controller/compare/statistics/survival.h"
#include "controller/compare/words.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "controller/plan/text_activity.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

using BootData = v1::ReportData::BootData;

// The attempt of each (block, variant) whose numbers count.
using Measured = std::map<std::pair<uint32_t, uint32_t>, const BootData*>;

std::string Letter(uint32_t variant) { return std::string(1, VariantLetter(variant)); }

// Of a block that was repeated no boot's numbers do: the repetition's take their place.
Measured MeasuredBoots(const v1::ReportData& data) {
  Measured measured;
  const std::vector<uint32_t> repeated = RepeatedBlocks(data.job().plan());
  for (const BootData& boot : data.boots()) {
    if (boot.view().outcome() != v1::OUTCOME_MEASURED) continue;
    if (std::count(repeated.begin(), repeated.end(), boot.view().block()) > 0) continue;
    measured[{boot.view().block(), boot.view().variant()}] = &boot;
  }
  return measured;
}

const v1::LoadRun* RunOf(const BootData& boot, uint32_t load) {
  for (const v1::LoadRun& run : boot.result().load_runs()) {
    if (run.load() == load) return &run;
  }
  return nullptr;
}

// One load of all measured boots, with what their histograms say.
struct LoadData {
  uint32_t load;
  LoadLatencies latencies;
};

std::optional<double> BootValue(const BootData& boot, const LoadData& load,
                                const std::string& metric, const std::string& unit) {
  std::optional<double> value;
  if (load.latencies.Decides(boot, metric, unit, &value)) return value;
  const v1::LoadRun* run = RunOf(boot, load.load);
  if (run == nullptr) return std::nullopt;
  std::vector<double> values;
  for (const v1::Measurement& m : run->measurements()) {
    if (m.metric() == metric && !m.warmup()) values.push_back(m.value());
  }
  return Median(std::move(values));
}

v1::ReportRow MakeRow(const v1::ReportData& data, const Measured& measured, const LoadData& load,
                      const std::string& metric, const std::string& unit, uint32_t variant) {
  v1::ReportRow row;
  row.set_letter(Letter(variant));
  std::vector<double> values;
  for (const v1::PlannedBlock& block : data.job().plan().blocks()) {
    v1::ReportCell* cell = row.add_boots();
    const auto found = measured.find({block.block(), variant});
    if (found == measured.end()) continue;
    cell->set_boot(found->second->view().name());
    if (const auto value = BootValue(*found->second, load, metric, unit)) {
      cell->set_value(*value);
      values.push_back(*value);
    }
  }
  row.set_n(static_cast<uint32_t>(values.size()));
  if (const auto median = Median(std::move(values))) row.set_median(*median);
  return row;
}

v1::ReportMetric MakeMetric(const v1::ReportData& data, const Measured& measured,
                            const LoadData& load, const std::string& name,
                            const std::string& unit) {
  v1::ReportMetric metric;
  metric.set_name(PrintableLine(name));
  metric.set_unit(PrintableLine(unit));
  for (int v = 0; v < data.variants_size(); ++v) {
    *metric.add_rows() = MakeRow(data, measured, load, name, unit, static_cast<uint32_t>(v));
    v1::ReportRow& row = *metric.mutable_rows(v);
    if (v == 0 || !row.has_median() || !metric.rows(0).has_median()) continue;
    const auto change = ChangePercent(metric.rows(0).median(), row.median());
    if (change) row.set_change_percent(*change);
  }
  return metric;
}

// The metrics of a load with their units, in the order the load gives them.
std::vector<std::pair<std::string, std::string>> MetricsOf(const Measured& measured,
                                                           const LoadData& data) {
  const uint32_t load = data.load;
  std::vector<std::pair<std::string, std::string>> metrics;
  std::set<std::string> seen;
  for (const auto& [key, boot] : measured) {
    const v1::LoadRun* run = RunOf(*boot, load);
    if (run == nullptr) continue;
    for (const v1::Measurement& m : run->measurements()) {
      if (!m.warmup() && seen.insert(m.metric()).second) {
        metrics.emplace_back(m.metric(), m.unit());
      }
    }
  }
  data.latencies.AddNames(&metrics);
  return metrics;
}

// Each distinct warning once, with the first boot that had it and how many others did.
std::vector<std::string> WarningsOf(const Measured& measured, uint32_t load) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<std::string, int>> by_text;
  for (const auto& [key, boot] : measured) {
    const v1::LoadRun* run = RunOf(*boot, load);
    if (run == nullptr) continue;
    for (const std::string& warning : run->warnings()) {
      auto [it, added] = by_text.try_emplace(PrintableLine(warning), boot->view().name(), 0);
      if (added) order.push_back(it->first);
      ++it->second.second;
    }
  }
  std::vector<std::string> texts;
  for (const std::string& text : order) {
    const auto& [boot, count] = by_text[text];
    const std::string more = count > 1 ? absl::StrCat(" and ", count - 1, " more") : "";
    texts.push_back(absl::StrCat(boot, more, ": ", text));
  }
  return texts;
}

v1::ReportLoad MakeLoad(const v1::ReportData& data, const Measured& measured, uint32_t load) {
  v1::ReportLoad report;
  report.set_text(plan::PrintLoad(data.job().spec().loads(static_cast<int>(load))));
  std::vector<std::pair<uint32_t, const BootData*>> boots;
  for (const auto& [key, boot] : measured) boots.emplace_back(key.second, boot);
  const LoadData from{load, LoadLatencies(boots, load, data.variants_size())};
  const auto metrics = MetricsOf(measured, from);
  for (const auto& [name, unit] : metrics) {
    *report.add_metrics() = MakeMetric(data, measured, from, name, unit);
  }
  for (v1::ReportLatency& latency : from.latencies.Curves(metrics)) {
    *report.add_latencies() = std::move(latency);
  }
  for (std::string& warning : WarningsOf(measured, load)) report.add_warnings(std::move(warning));
  return report;
}

// False for an attempt that the farm lost and will try again.
bool IsFinal(const v1::ReportData& data, const v1::BootView& view) {
  const bool lost = view.outcome() == v1::OUTCOME_FARM_FAILED;
  return !lost || view.attempt() >= data.job().spec().max_attempts();
}

// What says something of whether the kernel lives: it was measured, or it failed by itself. Not a
// kernel that was never built or never proven to be the one asked for.
bool TellsOfSurvival(v1::Outcome outcome, bool* failed) {
  switch (outcome) {
    case v1::OUTCOME_MEASURED:
      *failed = false;
      return true;
    case v1::OUTCOME_BOOT_FAILED:
    case v1::OUTCOME_PANICKED:
    case v1::OUTCOME_HUNG:
    case v1::OUTCOME_SCHEDULER_EJECTED:
    case v1::OUTCOME_LOAD_FAILED:
      *failed = true;
      return true;
    default:
      return false;
  }
}

void AddSurvival(const v1::ReportData& data, uint32_t index, v1::ReportVariant* variant) {
  for (const BootData& boot : data.boots()) {
    bool failed = false;
    if (boot.view().variant() != index || !TellsOfSurvival(boot.view().outcome(), &failed))
      continue;
    variant->set_survival_boots(variant->survival_boots() + 1);
    if (failed) variant->set_failures(variant->failures() + 1);
  }
  const statistics::FailureRate rate =
      statistics::FailuresOf(variant->failures(), variant->survival_boots());
  variant->set_failure_lo(rate.interval.lo);
  variant->set_failure_hi(rate.interval.hi);
}

v1::ReportVariant MakeVariant(const v1::ReportData& data, uint32_t index) {
  const v1::ReportData::VariantData& from = data.variants(static_cast<int>(index));
  v1::ReportVariant variant;
  variant.set_letter(Letter(index));
  variant.set_text(PrintableLine(plan::PrintVariant(from.variant()), 4096));
  variant.set_release(PrintableLine(from.expected().release()));
  variant.set_version(PrintableLine(from.expected().version()));
  variant.set_build_key(PrintableLine(from.build().build_key()));
  variant.set_source_version(PrintableLine(from.build().source_version()));
  variant.set_toolchain(PrintableLine(from.build().toolchain()));
  std::map<int, uint32_t> outcomes;
  std::set<uint32_t> ended;  // Blocks whose boot of this variant has its final attempt.
  for (const BootData& boot : data.boots()) {
    if (boot.view().variant() != index) continue;
    ++outcomes[boot.view().outcome()];
    if (IsFinal(data, boot.view())) ended.insert(boot.view().block());
  }
  for (const auto& [outcome, count] : outcomes) {
    v1::ReportCount* entry = variant.add_outcomes();
    entry->set_outcome(Word(static_cast<v1::Outcome>(outcome)));
    entry->set_count(count);
  }
  const size_t planned = static_cast<size_t>(data.job().plan().blocks_size());
  if (data.job().state() == v1::JOB_STATE_ACTIVE && ended.size() < planned) {
    v1::ReportCount* entry = variant.add_outcomes();
    entry->set_outcome("pending");
    entry->set_count(static_cast<uint32_t>(planned - ended.size()));
  }
  AddSurvival(data, index, &variant);
  return variant;
}

void AddFailures(const v1::ReportData& data, v1::Report* report) {
  for (const BootData& boot : data.boots()) {
    const v1::Outcome outcome = boot.view().outcome();
    if (outcome == v1::OUTCOME_MEASURED) continue;
    v1::ReportFailure* failure = report->add_failures();
    failure->set_boot(boot.view().name());
    failure->set_outcome(Word(outcome));
    failure->set_reason(PrintableLine(boot.view().reason(), 500));
    // Of a build that failed, or a boot that never was, there is no console.
    if (outcome == v1::OUTCOME_BUILD_FAILED || outcome == v1::OUTCOME_CANCELLED) continue;
    // The view's has what the machine left behind, too, if it left something.
    const bool whole = boot.result().console_tail().empty() || !boot.result().evidence().empty();
    const std::string& tail = whole ? boot.view().console_tail() : boot.result().console_tail();
    for (std::string& line : TellingLines(tail, failure->reason(), 15)) {
      failure->add_console_tail(std::move(line));
    }
  }
}

void AddBuildFailures(const v1::ReportData& data, v1::Report* report) {
  std::set<std::string> seen;
  for (const v1::ReportData::VariantData& variant : data.variants()) {
    const v1::BuildView& build = variant.build();
    if (build.status().empty() || build.status() == "built") continue;
    if (!seen.insert(build.build_id()).second) continue;
    v1::ReportBuildFailure* failure = report->add_build_failures();
    failure->set_kernel(PrintableLine(variant.variant().kernel()));
    failure->set_status(PrintableLine(build.status()));
    for (std::string& line : FirstLines(build.error(), 40)) failure->add_error(std::move(line));
  }
}

void AddOrder(const v1::ReportData& data, v1::Report* report) {
  report->set_blocks(static_cast<uint32_t>(data.job().plan().blocks_size()));
  report->set_order_seed(data.job().plan().order_seed());
  for (const v1::PlannedBlock& block : data.job().plan().blocks()) {
    std::string* order = report->add_order();
    for (const uint32_t variant : block.variants()) *order += VariantLetter(variant);
  }
}

// A block's machine is known when all its measured boots name the same.
void AddBlockMachines(const v1::ReportData& data, const Measured& measured, v1::Report* report) {
  for (const v1::PlannedBlock& block : data.job().plan().blocks()) {
    std::set<std::string> machines;
    for (const uint32_t variant : block.variants()) {
      const auto found = measured.find({block.block(), variant});
      if (found != measured.end()) machines.insert(found->second->view().machine());
    }
    report->add_block_machines(machines.size() == 1 ? PrintableLine(*machines.begin()) : "");
  }
}

void AddMachines(const v1::ReportData& data, v1::Report* report) {
  std::set<std::string> machines;
  for (const BootData& boot : data.boots()) {
    const auto& facts = boot.result().fingerprint().facts();
    if (facts.empty()) continue;
    machines.insert(boot.view().machine());
    const auto accelerator = facts.find("vm.accelerator");
    if (accelerator != facts.end() && absl::EqualsIgnoreCase(accelerator->second, "tcg")) {
      report->set_emulated(true);
    }
  }
  for (const std::string& machine : machines) report->add_machines(PrintableLine(machine));
  for (const v1::ReportFact& fact : CommonFacts(data)) {
    v1::ReportFact* added = report->add_facts();
    added->set_name(PrintableLine(fact.name()));
    added->set_value(PrintableLine(fact.value(), 500));
  }
}

// What each machine is, as far as it decides whether its numbers may stand beside another's.
std::map<std::string, std::string> KindsOf(const Measured& measured) {
  std::map<std::string, std::string> kinds;  // By machine.
  for (const auto& [key, boot] : measured) {
    std::string& kind = kinds.try_emplace(boot->view().machine(), "bare metal").first->second;
    const auto& facts = boot->result().fingerprint().facts();
    const auto found = facts.find("vm.accelerator");
    if (found == facts.end() || found->second.empty() || found->second == "none") continue;
    kind = absl::StrCat("a VM with ", PrintableLine(found->second));
  }
  return kinds;
}

// Why the job's machines can not be judged together, naming one of each kind; empty: they can.
std::string WhyMixed(const Measured& measured) {
  std::map<std::string, std::string> one_of;  // By kind.
  for (const auto& [machine, kind] : KindsOf(measured)) one_of.emplace(kind, machine);
  if (one_of.size() < 2) return "";
  std::vector<std::string> texts;
  for (const auto& [kind, machine] : one_of) {
    texts.push_back(absl::StrCat(PrintableLine(machine), " is ", kind));
  }
  return absl::StrCat(absl::StrJoin(texts, ", "),
                      ": never pooled, each machine has its own verdict");
}

void AddDifferences(const v1::ReportData& data, v1::Report* report) {
  for (const v1::ReportDifference& difference : FindDifferences(data)) {
    v1::ReportDifference* added = report->add_differences();
    added->set_name(PrintableLine(difference.name()));
    added->set_tier(TierWord(TierOf(difference.name())));
    for (const std::string& value : difference.values()) {
      added->add_values(PrintableLine(value, 4096));
    }
  }
}

// Blocks of which a comparison lacks a boot, with the last attempt that has no numbers.
void AddExcluded(const v1::ReportData& data, const Measured& measured, v1::Report* report) {
  std::map<std::pair<uint32_t, uint32_t>, std::string> lost;
  for (const BootData& boot : data.boots()) {
    const std::pair key(boot.view().block(), boot.view().variant());
    if (measured.count(key) > 0 || boot.view().outcome() == v1::OUTCOME_MEASURED) continue;
    lost[key] = absl::StrCat(boot.view().name(), " ", Word(boot.view().outcome()));
  }
  for (const auto& [key, reason] : lost) {
    v1::ReportExcluded* excluded = report->add_excluded();
    excluded->set_block(key.first);
    excluded->set_reason(PrintableLine(reason));
  }
}

uint32_t WarmupValues(const Measured& measured) {
  uint32_t count = 0;
  for (const auto& [key, boot] : measured) {
    for (const v1::LoadRun& run : boot->result().load_runs()) {
      for (const v1::Measurement& m : run.measurements()) count += m.warmup() ? 1 : 0;
    }
  }
  return count;
}

v1::Report ReportOn(const v1::ReportData& data, const v1::ReportControl* control) {
  v1::Report report;
  if (control != nullptr) *report.mutable_control() = *control;
  report.set_job(data.job().job());
  report.set_title(PrintableLine(data.job().spec().title()));
  report.set_state(Word(data.job().state()));
  for (int v = 0; v < data.variants_size(); ++v) {
    *report.add_variants() = MakeVariant(data, static_cast<uint32_t>(v));
  }
  AddOrder(data, &report);
  AddMachines(data, &report);
  AddDifferences(data, &report);
  const Measured measured = MeasuredBoots(data);
  for (int load = 0; load < data.job().spec().loads_size(); ++load) {
    *report.add_loads() = MakeLoad(data, measured, static_cast<uint32_t>(load));
  }
  AddComparability(data, &report);
  AddBlockMachines(data, measured, &report);
  AddLooks(data, &report);
  AddVerdicts(&report, WhyMixed(measured));
  AddExcluded(data, measured, &report);
  report.set_warmup_values(WarmupValues(measured));
  AddFailures(data, &report);
  AddBuildFailures(data, &report);
  for (const v1::Activity& activity : data.job().spec().background()) {
    report.add_background(PrintableLine(plan::PrintActivity(activity)));
  }
  for (const v1::SetupStep& step : data.job().spec().setup()) {
    report.add_setup(PrintableLine(plan::PrintSetupStep(step)));
  }
  for (std::string& piece : RepeatCommand(data.job())) report.add_repeat_command(std::move(piece));
  AddNoise(data, &report);
  return report;
}

}  // namespace

v1::Report MakeReport(const v1::ReportData& data) {
  if (!ControlVariant(data)) return ReportOn(data, nullptr);
  const v1::ReportData shown = WithoutControl(data);
  if (data.job().state() == v1::JOB_STATE_ACTIVE) return ReportOn(shown, nullptr);
  const v1::ReportControl control = JudgeControl(data);
  return ReportOn(shown, &control);
}

}  // namespace shakedown::compare
