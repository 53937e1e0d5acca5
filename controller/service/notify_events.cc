#include "controller/service/notify_events.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/compare/kernel_survival.h"
#include "controller/compare/words.h"
#include "controller/notify/filter.h"
#include "proto/wire/sanitise.h"

namespace shakedown::service {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct PrimaryVerdict {
  std::string metric, kernel, verdict;
  std::optional<double> change_percent;
};

std::string KernelOf(const v1::ReportData& data, const std::string& letter) {
  const int variant = letter.empty() ? -1 : letter[0] - 'A';
  const auto& variants = data.variants();
  return variant >= 0 && variant < variants.size() ? variants[variant].variant().kernel() : "";
}

std::vector<PrimaryVerdict> VerdictsOf(const v1::ReportData& data, const v1::Report& report) {
  std::vector<PrimaryVerdict> verdicts;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      if (metric.role() != "primary") continue;
      for (const v1::ReportComparison& comparison : metric.comparisons()) {
        PrimaryVerdict& verdict = verdicts.emplace_back();
        verdict.metric = metric.name();
        verdict.verdict = comparison.verdict();
        if (comparison.has_change_percent()) verdict.change_percent = comparison.change_percent();
        verdict.kernel = KernelOf(data, comparison.letter());
      }
    }
  }
  return verdicts;
}

std::string VerdictLine(const PrimaryVerdict& verdict) {
  return absl::StrCat(
      verdict.metric, " ", verdict.kernel, ": ", verdict.verdict,
      verdict.change_percent ? absl::StrFormat(" (%+.1f %%)", *verdict.change_percent) : "");
}

struct BootCounts {
  std::map<std::string, int> outcomes;  // Of every attempt that has ended, by word.
  std::set<std::string> machines;       // On which one was, whatever became of it.
  int failed = 0;                       // By their kernels.
};

BootCounts CountBoots(const v1::ReportData& data) {
  BootCounts counts;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    ++counts.outcomes[compare::Word(boot.view().outcome())];
    if (!boot.view().machine().empty()) counts.machines.insert(boot.view().machine());
    bool failed = false;
    if (compare::TellsOfSurvival(boot.view().outcome(), &failed) && failed) ++counts.failed;
  }
  return counts;
}

std::string OutcomesText(const BootCounts& counts) {
  return absl::StrJoin(counts.outcomes, ", ", [](std::string* out, const auto& outcome) {
    absl::StrAppend(out, outcome.second, " ", outcome.first);
  });
}

}  // namespace

store::Event JobEndEvent(const v1::ReportData& data, const v1::Report& report) {
  const std::string& submitter = data.job().submitter();
  store::Event event;
  event.key = absl::StrCat("job_end:", report.job());
  event.kind = "job_end";
  event.facts["by"] = {submitter};
  const BootCounts boots = CountBoots(data);
  event.facts["outcome"] = {report.state()};
  for (const auto& [word, count] : boots.outcomes) event.facts["outcome"].push_back(word);
  event.facts["machine"] = {boots.machines.begin(), boots.machines.end()};
  Json kernels = Json::array();
  for (const v1::ReportData::VariantData& variant : data.variants()) {
    event.facts["kernel"].push_back(variant.variant().kernel());
    kernels.push_back(variant.variant().kernel());
  }
  Json verdicts = Json::array();
  std::string lines;
  for (const PrimaryVerdict& verdict : VerdictsOf(data, report)) {
    event.facts["metric"].push_back(verdict.metric);
    event.facts["verdict"].push_back(verdict.verdict);
    Json& one = verdicts.emplace_back(
        Json{{"metric", verdict.metric}, {"kernel", verdict.kernel}, {"verdict", verdict.verdict}});
    if (verdict.change_percent) one["change_percent"] = *verdict.change_percent;
    absl::StrAppend(&lines, "  ", VerdictLine(verdict), "\n");
  }
  const std::string conclusion = report.conclusion().empty() ? "none" : report.conclusion();
  event.subject = PrintableLine(
      absl::StrCat("job ", report.job(), " ", report.state(), ": ", report.title(),
                   conclusion == "none" ? "" : ": ", conclusion == "none" ? "" : conclusion,
                   boots.failed == 0 ? "" : ": ",
                   boots.failed == 0 ? "" : absl::StrCat(boots.failed, " boots failed")));
  event.body =
      Printable(absl::StrCat("Job ", report.job(), ": ", report.title(), "\n", report.state(),
                             report.end_reason().empty() ? "" : ": ", report.end_reason(), "\n",
                             "boots: ", OutcomesText(boots), "\n", lines,
                             "\nThe whole report: shakedown report ", report.job(), "\n"));
  event.details = Dump({{"job", report.job()},
                        {"title", report.title()},
                        {"submitter", submitter},
                        {"state", report.state()},
                        {"end_reason", report.end_reason()},
                        {"conclusion", conclusion},
                        {"machines", event.facts["machine"]},
                        {"kernels", kernels},
                        {"outcomes", boots.outcomes},
                        {"verdicts", verdicts}});
  return event;
}

store::Event MachineSickEvent(const store::SickNow& sick, const std::string& detail) {
  const std::string& machine = sick.sickness.machine;
  const std::string what = sick.sickness.kind == "needs_hands"      ? "needs somebody's hands"
                           : sick.sickness.kind == "control_failed" ? "failed its A/A control"
                                                                    : "has a problem";
  store::Event event;
  event.key = sick.key;
  event.kind = "machine_sick";
  event.facts["machine"] = {machine};
  event.subject = PrintableLine(absl::StrCat("machine ", machine, " ", what));
  event.body = Printable(absl::StrCat("Machine ", machine, " ", what, ".\n", detail, "\n"));
  event.details = Dump({{"machine", machine}, {"kind", sick.sickness.kind}, {"detail", detail}});
  return event;
}

store::Event RegressionConfirmedEvent(const ConfirmedRegression& regression) {
  store::Event event;
  event.key = absl::StrCat("regression_confirmed:", regression.regression);
  event.kind = "regression_confirmed";
  event.facts["machine"] = {regression.machine};
  event.facts["metric"] = {regression.metric};
  event.facts["kernel"] = {regression.good, regression.bad};
  event.facts["verdict"] = {"worse"};
  event.subject =
      PrintableLine(absl::StrCat("regression ", regression.regression, ": ", regression.metric,
                                 " on ", regression.machine, " since ", regression.bad));
  event.body = Printable(
      absl::StrCat(event.subject, "\n", regression.text, regression.text.empty() ? "" : "\n",
                   "Last good: ", regression.good, "\nConfirmed by job ", regression.job,
                   "\n\nMore: shakedown regressions show ", regression.regression, "\n"));
  event.details = Dump({{"regression", regression.regression},
                        {"metric", regression.metric},
                        {"machine", regression.machine},
                        {"good", regression.good},
                        {"bad", regression.bad},
                        {"job", regression.job}});
  return event;
}

store::Event TestEvent(const std::string& key, const std::string& name) {
  store::Event event;
  event.key = key;
  event.kind = "test";
  event.subject = absl::StrCat("test of subscription ", name);
  event.body = absl::StrCat("This is what subscription ", name, " sends when it works.\n");
  event.details = "{}";
  return event;
}

bool WantsEvent(const store::Subscription& subscription, const store::Event& event) {
  const auto filter = notify::Filter::Parse(subscription.filter);
  return filter.ok() && filter->Matches(event.facts, subscription.owner);
}

}  // namespace shakedown::service
