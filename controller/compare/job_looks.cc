#include "controller/compare/job_looks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/compare/judge_report.h"
#include "controller/compare/layout.h"
#include "controller/compare/make_report.h"
#include "controller/compare/words.h"
#include "controller/plan/stopping.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

v1::JobSpec SpecOf(const v1::Report& report) {
  v1::JobSpec spec;
  spec.set_blocks(report.blocks() - static_cast<uint32_t>(report.repeats_size()));
  if (report.stopping() == "quick") spec.set_stopping(v1::STOPPING_RULE_QUICK);
  if (report.stopping() == "looks") spec.set_stopping(v1::STOPPING_RULE_LOOKS);
  return spec;
}

// A look after `n` planned blocks saw these, their repetitions, and nothing behind.
uint32_t LastBlockSeen(const v1::Plan& plan, uint32_t n) {
  uint32_t planned = 0;
  uint32_t last = 0;
  for (const v1::PlannedBlock& block : plan.blocks()) {
    if (block.replaces() == 0 && ++planned > n) break;
    last = block.block();
  }
  return last;
}

// The last attempt of each boot decides; one of the farm's that will be tried again does not count.
uint32_t BlocksDone(const v1::ReportData& data, const std::vector<uint32_t>& repeated) {
  std::map<uint32_t, std::set<uint32_t>> ended;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    const v1::BootView& view = boot.view();
    const bool again = view.outcome() == v1::OUTCOME_FARM_FAILED && view.has_started() &&
                       view.attempt() < data.job().spec().max_attempts();
    if (!again) ended[view.block()].insert(view.variant());
  }
  uint32_t done = 0;
  for (const v1::PlannedBlock& block : data.job().plan().blocks()) {
    if (std::count(repeated.begin(), repeated.end(), block.block()) > 0) continue;
    done += ended[block.block()].size() == static_cast<size_t>(block.variants_size()) ? 1 : 0;
  }
  return done;
}

// "17.3B disturbed: steal 3.4 %".
std::string WhyRepeated(const v1::ReportData& data, uint32_t block) {
  std::string lost;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    const v1::BootView& view = boot.view();
    const bool disturbed = view.outcome() == v1::OUTCOME_DISTURBED;
    if (view.block() != block || !(disturbed || view.outcome() == v1::OUTCOME_FARM_FAILED))
      continue;
    lost = absl::StrCat(view.name(), " ", Word(view.outcome()), view.reason().empty() ? "" : ": ",
                        PrintableLine(view.reason(), 200));
    if (disturbed) break;
  }
  return lost;
}

struct Measured {
  bool base = false;
  std::set<std::string> challengers;  // Letters.
};

// What has one value at least, of any metric.
Measured MeasuredOf(const v1::Report& report, const std::set<std::string>& skipped) {
  Measured measured;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      for (int r = 0; r < metric.rows_size(); ++r) {
        const v1::ReportRow& row = metric.rows(r);
        if (row.n() == 0 || skipped.count(row.letter()) > 0) continue;
        if (r == 0) {
          measured.base = true;
        } else {
          measured.challengers.insert(row.letter());
        }
      }
    }
  }
  return measured;
}

std::string VerdictOf(const v1::ReportMetric& metric, const std::string& letter) {
  for (const v1::ReportComparison& comparison : metric.comparisons()) {
    if (comparison.letter() == letter) return comparison.verdict();
  }
  return "insufficient";
}

// Of one primary metric, every challenger that has values of it.
void Collect(const v1::ReportMetric& metric, const Measured& measured, bool* open,
             std::vector<std::string>* texts) {
  if (metric.rows().empty() || metric.rows(0).n() == 0) return;
  for (int r = 1; r < metric.rows_size(); ++r) {
    const v1::ReportRow& row = metric.rows(r);
    if (row.n() == 0 || measured.challengers.count(row.letter()) == 0) continue;
    const std::string verdict = VerdictOf(metric, row.letter());
    *open = *open || verdict == "inconclusive" || verdict == "insufficient";
    texts->push_back(absl::StrCat(metric.name(), " ", row.letter(), " ", verdict));
  }
}

LookAnswer AnswerOf(const v1::Report& report, const std::set<std::string>& skipped) {
  using Kind = LookAnswer::Kind;
  const Measured measured = MeasuredOf(report, skipped);
  if (!measured.base) return {Kind::kNoComparison, "the baseline was never measured"};
  if (measured.challengers.empty()) return {Kind::kNoComparison, "no challenger was ever measured"};
  bool open = false;
  bool primaries = false;
  std::vector<std::string> texts;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      if (metric.role() != "primary") continue;
      primaries = true;
      Collect(metric, measured, &open, &texts);
    }
  }
  if (!primaries) return {Kind::kNoPrimaries, "no primary metric was measured"};
  if (!report.no_verdict().empty()) texts = {report.no_verdict()};
  if (texts.empty()) return {Kind::kNoComparison, "no primary metric was measured on both sides"};
  return {open ? Kind::kOpen : Kind::kDecided, absl::StrJoin(texts, "; ")};
}

}  // namespace

std::string StoppingWord(v1::StoppingRule rule) {
  if (rule == v1::STOPPING_RULE_QUICK) return "quick";
  return rule == v1::STOPPING_RULE_LOOKS ? "looks" : "fixed";
}

statistics::LookPlan LookPlanOf(const v1::Report& report) {
  if (report.stopping() == "looks") return statistics::ThreeLooks();
  if (report.stopping() == "quick") return statistics::QuickLook();
  return statistics::FixedLook(report.blocks() - report.repeats_size());
}

Judged JudgedPart(const v1::Report& report) {
  Judged judged;
  judged.final = report.state() != "active";
  judged.look = static_cast<uint32_t>(report.looks_size());
  judged.blocks = report.blocks();
  if (judged.final) return judged;
  if (judged.look > 0) {
    judged.blocks = report.judged_blocks();
    return judged;
  }
  const statistics::LookPlan plan = LookPlanOf(report);
  const auto first = static_cast<uint32_t>(plan.after_blocks.front());
  if (plan.after_blocks.size() > 1) {
    judged.no_verdict =
        absl::StrCat("first look after ", first, " blocks, ", report.blocks_done(), " are done");
  } else if (first >= kFewestBlocksForVerdicts) {
    judged.no_verdict = absl::StrCat("the job has not ended: no verdict before its last block, ",
                                     report.blocks_done(), " of ", first, " are done");
  }
  return judged;
}

statistics::Role RoleIn(const v1::Report& report, const statistics::Metric& metric) {
  if (report.primary_metrics().empty()) return metric.role;
  const auto& named = report.primary_metrics();
  if (std::find(named.begin(), named.end(), metric.name) != named.end()) {
    return statistics::Role::kPrimary;
  }
  return metric.role == statistics::Role::kPrimary ? statistics::Role::kSecondary : metric.role;
}

std::vector<std::string> UnjudgedPrimaries(const v1::Report& report) {
  std::set<std::string> judged;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      if (metric.role() == "primary") judged.insert(metric.name());
    }
  }
  std::vector<std::string> unjudged;
  for (const std::string& name : report.primary_metrics()) {
    if (judged.count(name) == 0) unjudged.push_back(name);
  }
  return unjudged;
}

std::vector<uint32_t> RepeatedBlocks(const v1::Plan& plan) {
  std::vector<uint32_t> repeated;
  for (const v1::PlannedBlock& block : plan.blocks()) {
    if (block.replaces() != 0) repeated.push_back(block.replaces());
  }
  return repeated;
}

void AddLooks(const v1::ReportData& data, v1::Report* report) {
  const v1::JobView& job = data.job();
  report->set_stopping(StoppingWord(job.spec().stopping()));
  report->set_budget_s(job.spec().budget_s());
  *report->mutable_looks() = job.looks();
  for (v1::LookView& look : *report->mutable_looks()) {
    look.set_decision(PrintableLine(look.decision()));
    look.set_text(PrintableLine(look.text(), 4096));
  }
  report->set_next_look(job.next_look());
  report->set_end_reason(PrintableLine(job.end_reason(), 500));
  for (const std::string& name : job.spec().primary_metrics()) {
    report->add_primary_metrics(PrintableLine(name));
  }
  for (const v1::PlannedBlock& block : job.plan().blocks()) {
    if (block.replaces() == 0) continue;
    v1::ReportRepeat* repeat = report->add_repeats();
    repeat->set_block(block.replaces());
    repeat->set_repeated_as(block.block());
    repeat->set_reason(WhyRepeated(data, block.replaces()));
  }
  report->set_blocks_done(BlocksDone(data, RepeatedBlocks(job.plan())));
  const uint32_t seen = job.looks().empty() ? 0 : job.looks(job.looks_size() - 1).after_blocks();
  report->set_judged_blocks(job.state() == v1::JOB_STATE_ACTIVE ? LastBlockSeen(job.plan(), seen)
                                                                : report->blocks());
}

LookAnswer Look(v1::ReportData data, uint32_t after_blocks) {
  v1::LookView* look = data.mutable_job()->add_looks();
  look->set_look(static_cast<uint32_t>(data.job().looks_size()));
  look->set_after_blocks(after_blocks);
  data.mutable_job()->set_state(v1::JOB_STATE_ACTIVE);
  std::set<std::string> control;
  for (int v = 0; v < data.job().spec().variants_size(); ++v) {
    if (!data.job().spec().variants(v).control()) continue;
    control.insert(std::string(1, VariantLetter(static_cast<uint32_t>(v))));
  }
  return AnswerOf(MakeReport(data), control);
}

std::string PrintLooks(const v1::Report& report) {
  std::string out;
  const bool plain = report.stopping() != "looks" && report.stopping() != "quick";
  if (!plain || report.budget_s() > 0) {
    std::string text = plan::StoppingText(SpecOf(report));
    if (report.budget_s() > 0) {
      absl::StrAppend(&text, "; time budget ", plan::SpanText(report.budget_s()));
    }
    out += Labelled("Stopping", text);
  }
  if (!plain && report.looks_size() > 0) {
    std::vector<std::string> looks;
    for (const v1::LookView& look : report.looks()) {
      looks.push_back(
          absl::StrCat(look.look(), " after ", look.after_blocks(), " blocks: ", look.decision()));
    }
    out += Labelled("Looks", absl::StrJoin(looks, "; "));
  }
  if (report.primary_metrics_size() > 0) {
    const std::vector<std::string> unjudged = UnjudgedPrimaries(report);
    out += Labelled("Primary", absl::StrCat(absl::StrJoin(report.primary_metrics(), ", "),
                                            unjudged.empty() ? "" : "; not judged: ",
                                            absl::StrJoin(unjudged, ", ")));
  }
  for (const v1::ReportRepeat& repeat : report.repeats()) {
    out += Labelled("Repeated", absl::StrCat("block ", repeat.block(), " (", repeat.reason(),
                                             ") as block ", repeat.repeated_as()));
  }
  return out;
}

std::string LevelText(const v1::Report& report) {
  const v1::ReportMethod& method = report.method();
  std::string text;
  if (method.primary_level() == method.level()) {
    text = absl::StrFormat("%g%% intervals, one look after the last block", 100 * method.level());
  } else {
    text = absl::StrFormat(
        "%g%% intervals of primary metrics (up to three looks, %g%% together), %g%% of others",
        100 * method.primary_level(), 100 * method.level(), 100 * method.level());
  }
  const int looks = report.looks_size();
  if (method.primary_level() != method.level() && looks > 0) {
    absl::StrAppend(&text, "; look ", looks, ", after ", report.looks(looks - 1).after_blocks(),
                    " blocks");
  }
  if (!method.secondaries_tested()) {
    text += "; others are tested once, when the job has ended";
  }
  return text;
}

std::string IntervalHead(const v1::ReportLoad& load) {
  std::set<double> levels;
  for (const v1::ReportMetric& metric : load.metrics()) {
    for (const v1::ReportComparison& comparison : metric.comparisons()) {
      levels.insert(comparison.level());
    }
  }
  levels.erase(0);  // Of a row without a value.
  if (levels.size() > 1) return "CI";
  const double level = levels.empty() ? statistics::kSingleLookLevel : *levels.begin();
  return absl::StrFormat("%g%% CI", 100 * level);
}

}  // namespace shakedown::compare
