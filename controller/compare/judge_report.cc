#include "controller/compare/judge_report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "controller/compare/control.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/layout.h"
#include "controller/compare/median.h"
#include "controller/compare/statistics/latency_histogram.h"
#include "controller/compare/statistics/stability.h"
#include "controller/compare/statistics/survival.h"
#include "controller/compare/statistics/verdict.h"

namespace shakedown::compare {
namespace {

using statistics::Candidate;
using statistics::Effect;
using statistics::Judgement;
using statistics::Role;
using statistics::Scale;

// Calibrations of interbench further apart than this are different amounts of work.
constexpr double kCalibrationSlack = 0.01;

// With its role in this job. A metric that nobody declared has no better side: it is shown, not
// tested.
statistics::Metric Declared(const v1::Report& report, const v1::ReportMetric& metric) {
  if (auto known = statistics::FindMetric(metric.name())) {
    known->role = RoleIn(report, *known);
    return *known;
  }
  return statistics::MakeMetric(metric.name(), statistics::Direction::kLowerIsBetter,
                                Scale::kDifference, metric.unit(), 0, Role::kInfo);
}

std::string RoleWord(Role role) {
  if (role == Role::kPrimary) return "primary";
  return role == Role::kSecondary ? "secondary" : "info";
}

void Describe(const v1::Report& report, v1::ReportMetric* metric) {
  const statistics::Metric declared = Declared(report, *metric);
  if (statistics::FindMetric(metric->name())) {
    metric->set_direction(declared.direction == statistics::Direction::kLowerIsBetter ? "lower"
                                                                                      : "higher");
  }
  metric->set_scale(declared.scale == Scale::kRatio ? "ratio" : "difference");
  metric->set_role(RoleWord(declared.role));
}

struct Pairs {
  std::vector<double> base;
  std::vector<double> challenger;
};

// Of the judged blocks that `on_machine` was measured on. Of all when it is empty, but for those of
// a machine whose A/A control failed when there are others.
bool Counts(const v1::Report& report, int block, const std::string& on_machine) {
  const std::string machine =
      block < report.block_machines_size() ? report.block_machines(block) : "";
  if (!on_machine.empty()) return machine == on_machine;
  return machine.empty() || WithheldOn(report.control(), machine).empty() ||
         !WithheldOn(report.control(), "").empty();
}

Pairs PairsOf(const v1::Report& report, const v1::ReportMetric& metric, int challenger,
              const std::string& on_machine = "") {
  Pairs pairs;
  const v1::ReportRow& a = metric.rows(0);
  const v1::ReportRow& b = metric.rows(challenger);
  const int judged = static_cast<int>(report.judged_blocks());
  for (int i = 0; i < std::min({a.boots_size(), b.boots_size(), judged}); ++i) {
    const v1::ReportCell& left = a.boots(i);
    const v1::ReportCell& right = b.boots(i);
    if (!left.has_value() || !right.has_value()) continue;
    if (!Counts(report, i, on_machine)) continue;
    if (!std::isfinite(left.value()) || !std::isfinite(right.value())) continue;
    pairs.base.push_back(left.value());
    pairs.challenger.push_back(right.value());
  }
  return pairs;
}

const v1::ReportMetric* MetricNamed(const v1::ReportLoad& load, const std::string& name) {
  for (const v1::ReportMetric& metric : load.metrics()) {
    if (metric.name() == name) return &metric;
  }
  return nullptr;
}

// Median of each side of another metric of the load; nothing unless both have one.
std::optional<std::pair<double, double>> Medians(const v1::Report& report,
                                                 const v1::ReportLoad& load,
                                                 const std::string& name, int challenger) {
  const v1::ReportMetric* metric = MetricNamed(load, name);
  if (metric == nullptr) return std::nullopt;
  const Pairs pairs = PairsOf(report, *metric, challenger);
  const auto a = Median(pairs.base);
  const auto b = Median(pairs.challenger);
  if (!a || !b) return std::nullopt;
  return std::pair(*a, *b);
}

std::string WhyCalibrationDiffers(const v1::Report& report, const v1::ReportLoad& load,
                                  const v1::ReportMetric& metric, int challenger) {
  if (!absl::StartsWith(metric.name(), "interbench.")) return "";
  if (metric.name() == "interbench.loops_per_ms") return "";
  const auto loops = Medians(report, load, "interbench.loops_per_ms", challenger);
  if (!loops || loops->first <= 0) return "";
  if (std::fabs(loops->second / loops->first - 1) <= kCalibrationSlack) return "";
  return absl::StrFormat("calibrations differ by more than 1 %%: A %.0f, %s %.0f loops per ms",
                         loops->first, metric.rows(challenger).letter(), loops->second);
}

// What the histograms say of a maximum: its number of values and how long they were collected.
std::string WhyHistogramsDiffer(const v1::ReportLatency& latency, int challenger) {
  std::vector<double> n[2];
  std::vector<double> duration[2];
  for (const int side : {0, 1}) {
    for (const v1::ReportCurve& boot : latency.rows(side == 0 ? 0 : challenger).boots()) {
      n[side].push_back(static_cast<double>(boot.n()));
      duration[side].push_back(static_cast<double>(boot.duration_ms()) / 1000);
    }
    if (n[side].empty()) return "";
  }
  const auto why = statistics::WhyMaximaDiffer(static_cast<uint64_t>(*Median(n[0])),
                                               static_cast<uint64_t>(*Median(n[1])), 1, 1);
  if (why) return *why;
  const double a = *Median(duration[0]);
  const double b = *Median(duration[1]);
  if (!statistics::WhyMaximaDiffer(1, 1, a, b)) return "";
  return absl::StrFormat("maxima over %.4g and %.4g s: more than 10 %% apart", a, b);
}

// A maximum grows with the number of values it is taken of.
std::string WhyMaximaMustNotBeCompared(const v1::Report& report, const v1::ReportLoad& load,
                                       const v1::ReportMetric& metric, int challenger) {
  absl::string_view stem = metric.name();
  if (!absl::ConsumeSuffix(&stem, ".max")) return "";
  for (const v1::ReportLatency& latency : load.latencies()) {
    if (latency.metric() == stem) return WhyHistogramsDiffer(latency, challenger);
  }
  absl::ConsumeSuffix(&stem, ".latency");
  const auto n = Medians(report, load, absl::StrCat(stem, ".n"), challenger);
  if (!n || n->first < 0 || n->second < 0) return "";
  return statistics::WhyMaximaDiffer(static_cast<uint64_t>(n->first),
                                     static_cast<uint64_t>(n->second), 1, 1)
      .value_or("");
}

std::string WhyNotComparable(const v1::Report& report, const v1::ReportLoad& load,
                             const v1::ReportMetric& metric, int challenger,
                             const std::string& machine) {
  if (const std::string why = WithheldOn(report.control(), machine); !why.empty()) return why;
  const std::string& letter = report.variants(challenger).letter();
  for (const v1::ReportHardDifference& difference : report.hard_differences()) {
    if (difference.letter() != letter) continue;
    return absl::StrCat(difference.name(), " differs: A ", difference.base(), ", ", letter, " ",
                        difference.challenger(), " (block ", difference.block(), ")");
  }
  std::string why = WhyCalibrationDiffers(report, load, metric, challenger);
  return why.empty() ? WhyMaximaMustNotBeCompared(report, load, metric, challenger) : why;
}

bool FailsMore(const v1::Report& report, int challenger) {
  const auto rate = [](const v1::ReportVariant& variant) {
    return statistics::FailuresOf(variant.failures(), variant.survival_boots());
  };
  return statistics::FailsMore(rate(report.variants(challenger)), rate(report.variants(0)));
}

// Where a candidate's answer goes.
struct Place {
  v1::ReportMetric* metric;
  int challenger;
};

// How the differences behaved in the order they were measured in. Nothing of it changes a verdict.
void AddFootnotes(const std::vector<double>& differences, v1::ReportComparison* to) {
  constexpr double kSlowStartZ = 5;
  const auto drift = statistics::FindDrift(differences);
  to->set_drifts(drift.has_value() && drift->flagged);
  if (const auto modes = statistics::FindTwoModes(differences)) {
    to->mutable_modes()->set_low_center(modes->low_center);
    to->mutable_modes()->set_high_center(modes->high_center);
    to->mutable_modes()->set_low_share(modes->low_share);
  }
  const auto z = statistics::FirstValueZ(differences);
  if (z && std::fabs(*z) >= kSlowStartZ) to->set_slow_start_z(*z);
}

void Fill(const Place& place, const Candidate& candidate, const Judgement& judgement) {
  v1::ReportComparison* to = place.metric->add_comparisons();
  to->set_letter(place.metric->rows(place.challenger).letter());
  to->set_verdict(std::string(VerdictName(judgement.verdict)));
  if (judgement.mark != ' ') to->set_mark(std::string(1, judgement.mark));
  to->set_note(judgement.note);
  if (!candidate.effect) return;
  const Effect& effect = *candidate.effect;
  to->set_n(static_cast<uint32_t>(effect.n_base));
  to->set_level(effect.level);
  to->set_base_median(effect.base_median);
  to->set_base_mad(effect.base_mad);
  to->set_median(effect.challenger_median);
  to->set_mad(effect.challenger_mad);
  // Side by side, without a change: whoever sees one believes it.
  if (judgement.verdict == statistics::Verdict::kNotComparable) return;
  to->set_estimate(effect.estimate);
  to->set_attained(effect.attained);
  if (effect.interval) {
    to->set_ci_lo(effect.interval->lo);
    to->set_ci_hi(effect.interval->hi);
  }
  const bool ratio = candidate.metric.scale == Scale::kRatio;
  to->set_change_abs(ratio ? effect.estimate * effect.base_median : effect.estimate);
  if (ratio) to->set_change_percent(100 * effect.estimate);
  if (!ratio && effect.base_median != 0) {
    to->set_change_percent(100 * effect.estimate / std::fabs(effect.base_median));
  }
  if (candidate.metric.role != Role::kInfo) to->set_p(effect.p);
  if (judgement.p_adjusted) to->set_p_adjusted(*judgement.p_adjusted);
  for (const double difference : effect.differences) to->add_differences(difference);
  AddFootnotes(effect.differences, to);
}

// The worst of the primaries; one that must not be compared has no verdict either.
std::string Conclusion(const std::vector<Candidate>& candidates,
                       const std::vector<Judgement>& judgements) {
  bool open = false;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].metric.role != Role::kPrimary) continue;
    using statistics::Verdict;
    const Verdict verdict = judgements[i].verdict;
    if (verdict == Verdict::kWorse) return "worse";
    open = open || verdict == Verdict::kInconclusive || verdict == Verdict::kInsufficient ||
           verdict == Verdict::kNotComparable;
  }
  return open ? "inconclusive" : "decided";
}

void AddMethod(const std::vector<Candidate>& candidates, const Judged& judged, v1::Report* report) {
  v1::ReportMethod* method = report->mutable_method();
  method->set_level(statistics::kSingleLookLevel);
  method->set_primary_level(LookPlanOf(*report).level);
  method->set_look(judged.look);
  method->set_secondaries_tested(judged.final);
  method->set_false_discovery_rate(statistics::kFalseDiscoveryRate);
  method->set_delta_rel(statistics::Metric().delta_rel);
  method->set_delta_abs("5 ms of a latency, 5 points of a percentage");
  // As they are adjusted: what can not be tested is in no family.
  for (const Candidate& candidate : candidates) {
    if (!candidate.not_comparable.empty() || !candidate.effect) continue;
    if (candidate.metric.role == Role::kPrimary) method->set_primaries(method->primaries() + 1);
    if (candidate.metric.role == Role::kSecondary) {
      method->set_secondaries(method->secondaries() + 1);
    }
  }
}

struct Asked {
  std::vector<Candidate> candidates;
  std::vector<Place> places;  // As many.
  size_t most_pairs = 0;
};

// Every metric of every challenger, on one machine or (empty) on all. Secondary metrics are tested
// once, when the job has ended: until then they are shown.
// `mixed`: why all of them are no one thing.
Asked Ask(v1::Report* report, const Judged& judged, const std::string& machine,
          const std::string& mixed = "") {
  Asked asked;
  const double primary_level = LookPlanOf(*report).level;
  for (v1::ReportLoad& load : *report->mutable_loads()) {
    for (v1::ReportMetric& metric : *load.mutable_metrics()) {
      for (int c = 1; c < metric.rows_size(); ++c) {
        const Pairs pairs = PairsOf(*report, metric, c, machine);
        asked.most_pairs = std::max(asked.most_pairs, pairs.base.size());
        Candidate candidate;
        candidate.metric = Declared(*report, metric);
        const bool primary = candidate.metric.role == Role::kPrimary;
        if (!primary && !judged.final) candidate.metric.role = Role::kInfo;
        candidate.effect =
            statistics::ComparePaired(candidate.metric, pairs.base, pairs.challenger,
                                      primary ? primary_level : statistics::kSingleLookLevel);
        candidate.not_comparable =
            mixed.empty() ? WhyNotComparable(*report, load, metric, c, machine) : mixed;
        if (candidate.not_comparable.empty() && !candidate.effect && !pairs.base.empty()) {
          candidate.not_comparable = "a value is not above 0, so there is no ratio";
        }
        candidate.challenger_fails_more = FailsMore(*report, c);
        asked.candidates.push_back(std::move(candidate));
        asked.places.push_back({&metric, c});
      }
    }
  }
  return asked;
}

// Each machine by itself, with its own families; nothing when there is but one.
void AddMachineVerdicts(const Judged& judged, v1::Report* report) {
  std::set<std::string> machines(report->block_machines().begin(), report->block_machines().end());
  machines.erase("");
  if (machines.size() < 2) return;
  for (const std::string& machine : machines) {
    const Asked asked = Ask(report, judged, machine);
    const std::vector<Judgement> judgements =
        statistics::Judge(asked.candidates, {.primary_level = LookPlanOf(*report).level});
    for (size_t i = 0; i < judgements.size(); ++i) {
      const Place& place = asked.places[i];
      v1::ReportMachineVerdict* to =
          place.metric->mutable_comparisons(place.challenger - 1)->add_machines();
      to->set_machine(machine);
      to->set_verdict(std::string(VerdictName(judgements[i].verdict)));
      if (judgements[i].mark != ' ') to->set_mark(std::string(1, judgements[i].mark));
      if (!asked.candidates[i].effect) continue;
      to->set_n(static_cast<uint32_t>(asked.candidates[i].effect->n_base));
      if (judgements[i].verdict == statistics::Verdict::kNotComparable) continue;
      to->set_estimate(asked.candidates[i].effect->estimate);
    }
  }
}

}  // namespace

void AddVerdicts(v1::Report* report, const std::string& mixed) {
  for (v1::ReportLoad& load : *report->mutable_loads()) {
    for (v1::ReportMetric& metric : *load.mutable_metrics()) Describe(*report, &metric);
  }
  report->set_conclusion("none");
  const Judged judged = JudgedPart(*report);
  report->set_judged_blocks(judged.no_verdict.empty() ? judged.blocks : 0);
  if (!judged.no_verdict.empty()) {
    report->set_no_verdict(judged.no_verdict);
    return;
  }
  const Asked asked = Ask(report, judged, "", mixed);
  if (asked.most_pairs < static_cast<size_t>(kFewestBlocksForVerdicts)) {
    report->set_no_verdict(
        absl::StrCat("n < ", kFewestBlocksForVerdicts, " blocks: insufficient, no verdict"));
    report->set_judged_blocks(0);
    return;
  }
  const std::vector<Judgement> judgements =
      statistics::Judge(asked.candidates, {.primary_level = LookPlanOf(*report).level});
  for (size_t i = 0; i < asked.places.size(); ++i) {
    Fill(asked.places[i], asked.candidates[i], judgements[i]);
  }
  AddMachineVerdicts(judged, report);
  AddMethod(asked.candidates, judged, report);
  report->set_conclusion(Conclusion(asked.candidates, judgements));
  // A metric that was to decide and could not has decided nothing.
  if (report->conclusion() == "decided" && !UnjudgedPrimaries(*report).empty()) {
    report->set_conclusion("inconclusive");
  }
}

}  // namespace shakedown::compare
