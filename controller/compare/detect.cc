#include "controller/compare/detect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/median.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/looks.h"
#include "controller/compare/statistics/metric.h"
#include "controller/compare/statistics/repetitions.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

constexpr double kPower = 0.8;
constexpr int64_t kMostBlocks = 1000;
// The spread of two or three differences says nearly nothing.
constexpr double kFewestFree = 3;

// One metric of one load.
using Subject = std::pair<uint32_t, std::string>;

struct Spread {
  double squares = 0;
  double freedom = 0;
  uint32_t blocks = 0;
  std::set<int64_t> jobs;
  std::set<std::string> machines;

  void Add(int64_t job, const std::string& machine, uint32_t n, double sd) {
    if (n < 2 || !std::isfinite(sd)) return;
    squares += sd * sd * (n - 1);
    freedom += n - 1;
    blocks += n;
    jobs.insert(job);
    machines.insert(machine);
  }
  bool Known() const { return freedom >= kFewestFree; }
  double Sd() const { return std::sqrt(squares / freedom); }
};

statistics::Scale ScaleOf(const std::string& metric) {
  const auto known = statistics::FindMetric(metric);
  return known ? known->scale : statistics::Scale::kDifference;
}

std::map<Subject, Spread> OfControls(const PastSpread& past) {
  std::map<Subject, Spread> spreads;
  for (const PastSpread::Control& control : past.controls) {
    spreads[{control.load, control.metric}].Add(control.job, control.machine, control.blocks,
                                                control.sd);
  }
  return spreads;
}

std::optional<double> Difference(const PastSpread::Block& block) {
  if (ScaleOf(block.metric) == statistics::Scale::kDifference) {
    return block.challenger - block.base;
  }
  if (!(block.base > 0 && block.challenger > 0)) return std::nullopt;
  return std::log(block.challenger / block.base);
}

// A true difference between two variants must not look like noise: each job, challenger and machine
// varies around a mean of its own.
std::map<Subject, Spread> OfBlocks(const PastSpread& past) {
  std::map<std::tuple<uint32_t, std::string, int64_t, uint32_t, std::string>, std::vector<double>>
      groups;
  for (const PastSpread::Block& block : past.blocks) {
    if (const auto difference = Difference(block)) {
      groups[{block.load, block.metric, block.job, block.variant, block.machine}].push_back(
          *difference);
    }
  }
  std::map<Subject, Spread> spreads;
  for (const auto& [key, differences] : groups) {
    const auto& [load, metric, job, variant, machine] = key;
    spreads[{load, metric}].Add(job, machine, static_cast<uint32_t>(differences.size()),
                                statistics::StandardDeviation(differences));
  }
  return spreads;
}

std::map<Subject, double> BaseMedians(const PastSpread& past) {
  std::map<Subject, std::vector<double>> values;
  for (const PastSpread::Block& block : past.blocks) {
    values[{block.load, block.metric}].push_back(block.base);
  }
  std::map<Subject, double> medians;
  for (auto& [subject, list] : values) {
    if (const auto median = Median(std::move(list))) medians[subject] = *median;
  }
  return medians;
}

std::string BasisText(const Subject& subject, bool several_loads, const Spread& spread,
                      bool controls) {
  const std::string load =
      several_loads ? absl::StrCat("load ", subject.first + 1, ": ") : std::string();
  return PrintableLine(
      absl::StrCat(load, spread.blocks,
                   controls ? " blocks of A/A controls, job" : " blocks of job",
                   spread.jobs.size() > 1 ? "s " : " ", absl::StrJoin(spread.jobs, ", "), " on ",
                   absl::StrJoin(spread.machines, ", ")),
      400);
}

int VariantsOf(const v1::JobSpec& spec) {
  const bool there = std::any_of(spec.variants().begin(), spec.variants().end(),
                                 [](const v1::Variant& variant) { return variant.control(); });
  return spec.variants_size() + (spec.control() && !there ? 1 : 0);
}

struct Rule {
  double level;
  int64_t blocks;
};
Rule RuleOf(const v1::JobSpec& spec) {
  switch (spec.stopping()) {
    case v1::STOPPING_RULE_LOOKS:
      return {statistics::ThreeLooks().level, statistics::ThreeLooks().after_blocks.back()};
    case v1::STOPPING_RULE_QUICK:
      return {statistics::QuickLook().level, statistics::QuickLook().after_blocks.back()};
    default:
      return {statistics::kSingleLookLevel, spec.blocks()};
  }
}

// Of a part of A's median, in the metric's scale; nothing when that is 0 or not known.
std::optional<double> InScale(const Subject& subject, double change,
                              const std::map<Subject, double>& medians) {
  if (ScaleOf(subject.second) == statistics::Scale::kRatio) return std::log1p(change);
  const auto median = medians.find(subject);
  if (median == medians.end() || median->second == 0) return std::nullopt;
  return change * std::fabs(median->second);
}

}  // namespace

std::vector<std::string> PrimariesOf(const v1::JobSpec& spec) {
  if (!spec.primary_metrics().empty()) {
    return {spec.primary_metrics().begin(), spec.primary_metrics().end()};
  }
  std::set<std::string> names;
  for (const v1::Load& load : spec.loads()) {
    if (load.has_make() && !load.make().cold()) names.insert("make.real");
    if (load.has_latt()) names.insert("latt.wakeup.avg");
  }
  return {names.begin(), names.end()};
}

Detection EstimateDetection(const v1::JobSpec& spec, double change, double boot_seconds,
                            const PastSpread& past) {
  Detection detection;
  const std::vector<std::string> primaries = PrimariesOf(spec);
  if (primaries.empty()) {
    detection.note =
        "the job has no primary metric: name up to three, as in --primary launch.warm.avg";
    return detection;
  }
  const std::map<Subject, Spread> controls = OfControls(past);
  const std::map<Subject, Spread> blocks = OfBlocks(past);
  const std::map<Subject, double> medians = BaseMedians(past);
  std::set<Subject> subjects;
  for (const auto* spreads : {&controls, &blocks}) {
    for (const auto& [subject, spread] : *spreads) {
      const bool primary =
          std::find(primaries.begin(), primaries.end(), subject.second) != primaries.end();
      if (primary && spread.Known()) subjects.insert(subject);
    }
  }
  const int variants = VariantsOf(spec);
  const int challengers = std::max(1, variants - 1 - (spec.control() ? 1 : 0));
  // A primary metric without a past is in the family all the same.
  std::set<std::string> missing(primaries.begin(), primaries.end());
  for (const Subject& subject : subjects) missing.erase(subject.second);
  const double tests = static_cast<double>(subjects.size() + missing.size()) * challengers;
  const Rule rule = RuleOf(spec);
  const double level = 1 - (1 - rule.level) / tests;
  int64_t planned = rule.blocks;
  if (spec.budget_s() > 0 && boot_seconds > 0) {
    const double fit = static_cast<double>(spec.budget_s()) / (boot_seconds * variants);
    planned = std::min(planned, static_cast<int64_t>(std::min(fit, 1e6)));
  }
  for (const Subject& subject : subjects) {
    const auto control = controls.find(subject);
    const bool known = control != controls.end() && control->second.Known();
    const Spread& spread = known ? control->second : blocks.at(subject);
    v1::DetectEstimate estimate;
    estimate.set_metric(subject.second);
    estimate.set_pairs(spread.blocks);
    estimate.set_sd(spread.Sd());
    const bool several = std::count_if(subjects.begin(), subjects.end(), [&](const Subject& s) {
                           return s.second == subject.second;
                         }) > 1;
    estimate.set_basis(BasisText(subject, several, spread, known));
    const auto effect = InScale(subject, change, medians);
    // Blocks that never differed find any change with the fewest that can find one at all.
    const double sd = std::max(spread.Sd(), 1e-12);
    const int64_t needed =
        effect ? statistics::BlocksToDetect(*effect, sd, level, kPower) : kMostBlocks + 1;
    if (needed <= kMostBlocks) {
      estimate.set_blocks(static_cast<uint32_t>(needed));
      estimate.set_boots(static_cast<uint32_t>(needed * variants));
      estimate.set_seconds(static_cast<uint64_t>(std::ceil(estimate.boots() * boot_seconds)));
    }
    const double found = statistics::DetectableEffect(planned, sd, level, kPower);
    if (std::isfinite(found)) {
      estimate.set_detectable(
          ScaleOf(subject.second) == statistics::Scale::kRatio ? std::expm1(found) : found);
    }
    detection.estimates.push_back(std::move(estimate));
  }
  if (!missing.empty()) {
    detection.note = absl::StrCat(
        "no past of ", absl::StrJoin(missing, ", "),
        " with these loads on machines that match: run this job once with --control and 8 blocks; "
        "its A/A control tells how much blocks differ");
  }
  return detection;
}

}  // namespace shakedown::compare
