#include "controller/compare/control.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/layout.h"
#include "controller/compare/make_report.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/metric.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

using BootData = v1::ReportData::BootData;

// Keeps what `keep` says yes to.
template <typename Message, typename Keep>
void Filter(google::protobuf::RepeatedPtrField<Message>* list, Keep keep) {
  list->erase(std::remove_if(list->begin(), list->end(),
                             [&](const Message& message) { return !keep(message); }),
              list->end());
}

// Blocks of which both boots of the pair were measured on `machine`, and that no other repeats.
std::set<uint32_t> BlocksOn(const v1::ReportData& data, const std::string& machine) {
  std::map<uint32_t, std::set<uint32_t>> measured;
  for (const BootData& boot : data.boots()) {
    if (boot.view().outcome() == v1::OUTCOME_MEASURED && boot.view().machine() == machine) {
      measured[boot.view().block()].insert(boot.view().variant());
    }
  }
  std::set<uint32_t> blocks;
  for (const auto& [block, variants] : measured) {
    if (variants.size() == 2) blocks.insert(block);
  }
  for (const v1::PlannedBlock& block : data.job().plan().blocks()) blocks.erase(block.replaces());
  return blocks;
}

// A and the control as a job of two variants that has ended: the control is B.
v1::ReportData ControlAlone(const v1::ReportData& data, uint32_t control) {
  v1::ReportData pair = data;
  pair.mutable_variants(1)->Swap(pair.mutable_variants(static_cast<int>(control)));
  pair.mutable_variants()->DeleteSubrange(2, pair.variants_size() - 2);
  pair.mutable_variants(1)->mutable_variant()->clear_control();
  v1::JobView* job = pair.mutable_job();
  job->set_state(v1::JOB_STATE_DONE);
  job->clear_looks();
  job->mutable_spec()->clear_stopping();
  job->mutable_spec()->clear_control();
  *job->mutable_spec()->mutable_variants(1) = pair.variants(1).variant();
  job->mutable_spec()->mutable_variants()->DeleteSubrange(2, job->spec().variants_size() - 2);
  Filter(pair.mutable_boots(), [&](const BootData& boot) {
    return boot.view().variant() == 0 || boot.view().variant() == control;
  });
  for (BootData& boot : *pair.mutable_boots()) {
    boot.mutable_view()->set_variant(boot.view().variant() == control ? 1 : 0);
  }
  pair.clear_noise();
  return pair;
}

v1::ReportData OnMachine(v1::ReportData pair, const std::string& machine) {
  const std::set<uint32_t> blocks = BlocksOn(pair, machine);
  Filter(pair.mutable_boots(), [&](const BootData& boot) {
    return boot.view().machine() == machine && blocks.count(boot.view().block()) > 0;
  });
  Filter(pair.mutable_job()->mutable_plan()->mutable_blocks(),
         [&](const v1::PlannedBlock& block) { return blocks.count(block.block()) > 0; });
  // Numbered anew, so that none seems to be missing.
  std::map<uint32_t, uint32_t> numbers;
  for (v1::PlannedBlock& block : *pair.mutable_job()->mutable_plan()->mutable_blocks()) {
    numbers.emplace(block.block(), static_cast<uint32_t>(numbers.size() + 1));
    block.set_block(numbers.at(block.block()));
    block.clear_replaces();
    block.clear_variants();
    block.add_variants(0);
    block.add_variants(1);
  }
  for (BootData& boot : *pair.mutable_boots()) {
    boot.mutable_view()->set_block(numbers.at(boot.view().block()));
  }
  return pair;
}

v1::ReportControlMetric ResultOf(int load, const v1::ReportMetric& metric,
                                 const v1::ReportComparison& comparison) {
  v1::ReportControlMetric result;
  result.set_load(static_cast<uint32_t>(load));
  result.set_metric(metric.name());
  result.set_unit(metric.unit());
  result.set_scale(metric.scale());
  result.set_role(metric.role());
  result.set_n(comparison.n());
  result.set_verdict(comparison.verdict());
  result.set_mark(comparison.mark());
  const std::vector<double> differences(comparison.differences().begin(),
                                        comparison.differences().end());
  const double sd = statistics::StandardDeviation(differences);
  if (std::isfinite(sd)) result.set_sd(sd);
  if (comparison.has_estimate()) result.set_estimate(comparison.estimate());
  if (comparison.has_p()) result.set_p(comparison.p());
  if (!comparison.has_ci_lo()) return result;
  result.set_ci_lo(comparison.ci_lo());
  result.set_ci_hi(comparison.ci_hi());
  result.set_false_alarm(metric.role() != "info" &&
                         (comparison.ci_lo() > 0 || comparison.ci_hi() < 0));
  return result;
}

bool IsLarge(const v1::ReportMetric& metric, const v1::ReportComparison& comparison) {
  const auto known = statistics::FindMetric(metric.name());
  return known && statistics::IsBig(*known, comparison.estimate(), comparison.base_median());
}

std::string ChangeText(const v1::ReportMetric& metric, const v1::ReportComparison& comparison) {
  if (metric.scale() == "ratio") {
    return absl::StrCat(metric.name(), " ", Change(100 * comparison.estimate()));
  }
  return absl::StrCat(metric.name(), " ", comparison.estimate() > 0 ? "+" : "",
                      Number(comparison.estimate(), 1), " ", metric.unit());
}

v1::ReportControlMachine JudgeMachine(const v1::ReportData& pair, const std::string& machine) {
  v1::ReportControlMachine judged;
  judged.set_machine(PrintableLine(machine));
  const v1::Report report = MakeReport(OnMachine(pair, machine));
  std::vector<std::string> failures;
  for (int load = 0; load < report.loads_size(); ++load) {
    for (const v1::ReportMetric& metric : report.loads(load).metrics()) {
      if (metric.comparisons().empty()) continue;
      const v1::ReportComparison& comparison = metric.comparisons(0);
      const v1::ReportControlMetric result = ResultOf(load, metric, comparison);
      *judged.add_metrics() = result;
      if (metric.role() == "info" || !result.has_ci_lo()) continue;
      judged.set_tests(judged.tests() + 1);
      judged.set_false_alarms(judged.false_alarms() + (result.false_alarm() ? 1 : 0));
      if (metric.role() == "primary" && result.false_alarm() && IsLarge(metric, comparison)) {
        failures.push_back(ChangeText(metric, comparison));
      }
    }
  }
  judged.set_failure(absl::StrJoin(failures, ", "));
  return judged;
}

// Sums over several controls; the variances weigh by their degrees of freedom.
struct Pool {
  uint32_t tests = 0;
  uint32_t false_alarms = 0;
  uint32_t blocks = 0;
  double squares = 0;
  double freedom = 0;

  void Add(uint32_t controls, uint32_t alarms, uint32_t n, std::optional<double> sd) {
    tests += controls;
    false_alarms += alarms;
    blocks += n;
    if (!sd || n <= controls) return;
    squares += *sd * *sd * (n - controls);
    freedom += n - controls;
  }
};

// By load, metric and machine.
using Pools = std::map<std::tuple<uint32_t, std::string, std::string>, Pool>;

Pools PoolsOf(const v1::ReportData& data, const v1::ReportControl& own) {
  Pools pools;
  for (const v1::PastNoise& past : data.noise()) {
    pools[{past.load(), past.metric(), past.machine()}].Add(
        past.tests(), past.false_alarms(), past.blocks(),
        past.has_sd() ? std::optional<double>(past.sd()) : std::nullopt);
  }
  for (const v1::ReportControlMachine& machine : own.machines()) {
    for (const v1::ReportControlMetric& metric : machine.metrics()) {
      if (metric.role() == "info" || !metric.has_ci_lo()) continue;
      pools[{metric.load(), metric.metric(), machine.machine()}].Add(
          1, metric.false_alarm() ? 1 : 0, metric.n(),
          metric.has_sd() ? std::optional<double>(metric.sd()) : std::nullopt);
    }
  }
  return pools;
}

}  // namespace

std::optional<int> ControlVariant(const v1::ReportData& data) {
  const int last = data.variants_size() - 1;
  if (last < 1 || !data.variants(last).variant().control()) return std::nullopt;
  return last;
}

v1::ReportData WithoutControl(const v1::ReportData& data) {
  const std::optional<int> control = ControlVariant(data);
  v1::ReportData shown = data;
  if (!control) return shown;
  const auto index = static_cast<uint32_t>(*control);
  shown.mutable_variants()->RemoveLast();
  Filter(shown.mutable_boots(),
         [&](const BootData& boot) { return boot.view().variant() != index; });
  v1::JobSpec* spec = shown.mutable_job()->mutable_spec();
  Filter(spec->mutable_variants(), [](const v1::Variant& variant) { return !variant.control(); });
  for (v1::PlannedBlock& block : *shown.mutable_job()->mutable_plan()->mutable_blocks()) {
    auto* order = block.mutable_variants();
    order->erase(std::remove(order->begin(), order->end(), index), order->end());
  }
  return shown;
}

v1::ReportControl JudgeControl(const v1::ReportData& data) {
  const auto control = static_cast<uint32_t>(*ControlVariant(data));
  const v1::ReportData pair = ControlAlone(data, control);
  std::set<std::string> machines;
  for (const BootData& boot : pair.boots()) {
    if (boot.view().outcome() == v1::OUTCOME_MEASURED) machines.insert(boot.view().machine());
  }
  v1::ReportControl judged;
  judged.set_letter(std::string(1, VariantLetter(control)));
  for (const std::string& machine : machines) *judged.add_machines() = JudgeMachine(pair, machine);
  return judged;
}

std::string WithheldOn(const v1::ReportControl& control, absl::string_view machine) {
  std::vector<std::string> failed;
  for (const v1::ReportControlMachine& judged : control.machines()) {
    if (!machine.empty() && judged.machine() != machine) continue;
    if (judged.failure().empty()) return "";
    failed.push_back(absl::StrCat(judged.machine(), ": ", judged.failure()));
  }
  return failed.empty() ? "" : absl::StrCat("A/A control failed on ", absl::StrJoin(failed, "; "));
}

void AddNoise(const v1::ReportData& data, v1::Report* report) {
  const Pools pools = PoolsOf(data, report->control());
  for (const auto& [key, pool] : pools) {
    const auto& [load, name, machine] = key;
    if (load >= static_cast<uint32_t>(report->loads_size())) continue;
    if (std::find(report->machines().begin(), report->machines().end(), machine) ==
        report->machines().end()) {
      continue;
    }
    for (v1::ReportMetric& metric :
         *report->mutable_loads(static_cast<int>(load))->mutable_metrics()) {
      if (metric.name() != name) continue;
      v1::ReportNoise* noise = metric.add_noise();
      noise->set_machine(machine);
      noise->set_tests(pool.tests);
      noise->set_false_alarms(pool.false_alarms);
      noise->set_blocks(pool.blocks);
      if (pool.freedom > 0) noise->set_sd(std::sqrt(pool.squares / pool.freedom));
    }
  }
}

}  // namespace shakedown::compare
