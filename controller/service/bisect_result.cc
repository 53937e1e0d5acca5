#include "controller/service/bisect_result.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "controller/compare/make_report.h"
#include "controller/compare/statistics/metric.h"
#include "controller/compare/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::service {
namespace {

constexpr size_t kMostWhy = 300;

// Of the first load that has the metric.
std::vector<double> DifferencesOf(const v1::Report& report, const std::string& metric) {
  const auto known = statistics::FindMetric(metric);
  const bool ratio = !known || known->scale == statistics::Scale::kRatio;
  std::vector<double> differences;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& found : load.metrics()) {
      if (found.name() != metric || found.rows_size() < 2) continue;
      const auto& a = found.rows(0).boots();
      const auto& b = found.rows(1).boots();
      for (int i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (!a[i].has_value() || !b[i].has_value()) continue;
        if (ratio && !(a[i].value() > 0 && b[i].value() > 0)) continue;
        differences.push_back(ratio ? std::log(b[i].value() / a[i].value())
                                    : b[i].value() - a[i].value());
      }
      return differences;
    }
  }
  return differences;
}

struct Side {
  bool measured = false;
  std::string failure;  // The first that was the kernel's own.
};

bool IsTheKernels(v1::Outcome outcome) {
  return outcome != v1::OUTCOME_MEASURED && outcome != v1::OUTCOME_DISTURBED &&
         outcome != v1::OUTCOME_FARM_FAILED && outcome != v1::OUTCOME_CANCELLED &&
         outcome != v1::OUTCOME_UNSPECIFIED;
}

Side SideOf(const v1::ReportData& data, uint32_t variant) {
  Side side;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    const v1::BootView& view = boot.view();
    if (view.variant() != variant) continue;
    side.measured = side.measured || view.outcome() == v1::OUTCOME_MEASURED;
    if (!side.failure.empty() || !IsTheKernels(view.outcome())) continue;
    side.failure =
        absl::StrCat(view.name(), " ", compare::Word(view.outcome()),
                     view.reason().empty() ? "" : ": ", PrintableLine(view.reason(), kMostWhy));
  }
  return side;
}

}  // namespace

void ReadBisectResult(const v1::ReportData& data, const std::string& metric,
                      store::BisectTrial* trial) {
  for (const v1::ReportData::BootData& boot : data.boots()) {
    trial->boots += boot.view().has_started() ? 1 : 0;
  }
  trial->differences = DifferencesOf(compare::MakeReport(data), metric);
  const Side base = SideOf(data, 0);
  const Side candidate = SideOf(data, 1);
  if (!trial->differences.empty()) {
    trial->ending = "measured";
  } else if (base.measured && candidate.measured) {
    trial->ending = "base_failed";
    trial->why = absl::StrCat("no load gave both a ", metric);
  } else if (!base.measured && !base.failure.empty()) {
    trial->ending = "base_failed";
    trial->why = base.failure;
  } else if (!candidate.measured && !candidate.failure.empty()) {
    trial->ending = "candidate_failed";
    trial->why = candidate.failure;
  } else {
    trial->ending = "farm_failed";
    trial->why = "no block was measured on both sides";
  }
}

}  // namespace shakedown::service
