#include "controller/service/regression_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/make_report.h"
#include "controller/history/regression_mail.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_controls.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

std::string FirstMeasured(const v1::Report& report, size_t variant) {
  const std::string letter(1, static_cast<char>('A' + variant));
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      for (const v1::ReportRow& row : metric.rows()) {
        if (row.letter() != letter) continue;
        for (const v1::ReportCell& cell : row.boots()) {
          if (cell.has_value()) return cell.boot();
        }
      }
    }
  }
  return "";
}

history::MailFacts FactsOf(const v1::Report& report) {
  history::MailFacts facts;
  facts.good_boot = FirstMeasured(report, 0);
  facts.bad_boot = FirstMeasured(report, 1);
  for (const v1::ReportFact& fact : report.facts()) facts.facts[fact.name()] = fact.value();
  facts.repeat_command = {report.repeat_command().begin(), report.repeat_command().end()};
  facts.emulated = report.emulated();
  if (!report.order().empty()) {
    facts.order = absl::StrCat("Order of boots ", absl::StrJoin(report.order(), " "), ", seed ",
                               report.order_seed());
  }
  for (const v1::ReportDifference& difference : report.differences()) {
    facts.differences.push_back(absl::StrCat(difference.name(), ": ",
                                             absl::StrJoin(difference.values(), " / "), " (",
                                             difference.tier(), ")"));
  }
  for (const v1::ReportConfounding& one : report.confounded()) {
    facts.differences.push_back(
        absl::StrCat("CONFOUNDED: ", absl::StrJoin(one.names(), ", "), " differ at once"));
  }
  for (int v = 0; v < report.variants_size(); ++v) {
    (v == 0 ? facts.good_variant : facts.bad_variant) = report.variants(v).text();
    const v1::ReportVariant& variant = report.variants(v);
    if (variant.failures() == 0) continue;
    facts.differences.push_back(absl::StrCat(variant.letter(), " failed in ", variant.failures(),
                                             " of ", variant.survival_boots(), " boots"));
  }
  return facts;
}

}  // namespace

absl::StatusOr<std::string> MailOf(store::Database& database,
                                   const v1::RegressionView& regression) {
  history::MailFacts facts;
  if (regression.confirm_job() != 0) {
    ASSIGN_OR_RETURN(const v1::ReportData data, ReadReportData(database, regression.confirm_job()));
    RETURN_IF_ERROR(NoThrow("mail", [&] {
      facts = FactsOf(compare::MakeReport(data));
      return absl::OkStatus();
    }));
  }
  if (facts.good_variant.empty()) facts.good_variant = regression.good();
  if (facts.bad_variant.empty()) facts.bad_variant = regression.bad();
  return history::RegressionMail(regression, facts);
}

}  // namespace shakedown::service
