#include "controller/plan/check_stopping.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "controller/compare/statistics/metric.h"
#include "proto/wire/ids.h"
#include "proto/wire/load_kind.h"

namespace shakedown::plan {
namespace {

constexpr uint64_t kMostBudget = 365 * 86400;
constexpr int kMostVariants = 26;
constexpr size_t kMostName = 128;

bool IsPart(absl::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '+';
  });
}

// "make.real", "latt.wakeup.p99.9": a load's word, and what of it.
bool IsMetricName(absl::string_view name) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '.');
  return name.size() <= kMostName && parts.size() >= 2 &&
         std::all_of(parts.begin(), parts.end(), IsPart);
}

// The first parts of the names of what a load measures.
std::set<std::string> Measures(const v1::JobSpec& spec) {
  std::set<std::string> parts;
  for (const v1::Load& load : spec.loads()) {
    if (load.command().under_latt()) parts.insert("latt");
    parts.insert(load.has_tool() ? load.tool().tool() : LoadKind(load));
  }
  return parts;
}

void CheckMeasured(const v1::JobSpec& spec, const std::string& name, Errors& errors) {
  const std::string first = name.substr(0, name.find('.'));
  const std::set<std::string> measured = Measures(spec);
  if (measured.count(first) == 0) {
    errors.Add("primary metric ", Quoted(name), ": no load of the job measures it; they measure ",
               absl::StrJoin(measured, ".*, "), ".*");
    return;
  }
  if (statistics::FindMetric(name)) return;
  std::vector<std::string> known;
  for (const std::string_view pattern : statistics::KnownMetrics(first)) {
    known.emplace_back(pattern);
  }
  if (known.size() > 12) known.resize(12);
  errors.Add("primary metric ", Quoted(name), ": no such metric, want one such as ",
             absl::StrJoin(known, ", "));
}

bool HasPrimary(const v1::JobSpec& spec) {
  if (!spec.primary_metrics().empty()) return true;
  const std::set<std::string> measured = Measures(spec);
  return std::any_of(measured.begin(), measured.end(), [](const std::string& first) {
    const auto known = statistics::KnownMetrics(first);
    return std::any_of(known.begin(), known.end(), [](std::string_view name) {
      const auto metric = statistics::FindMetric(name);
      return metric && metric->role == statistics::Role::kPrimary;
    });
  });
}

void CheckPrimary(const v1::JobSpec& spec, const std::string& name, Errors& errors) {
  if (!IsMetricName(name)) {
    errors.Add("primary metric ", Quoted(name), ": want a metric's name such as make.real");
    return;
  }
  const auto known = statistics::FindMetric(name);
  if (known && known->role == statistics::Role::kInfo) {
    errors.Add("primary metric ", Quoted(name),
               ": is for information and never tested, want one that has a better side");
    return;
  }
  CheckMeasured(spec, name, errors);
}

void CheckPrimaries(const v1::JobSpec& spec, Errors& errors) {
  errors.CheckRange("number of primary metrics", spec.primary_metrics_size(), 0,
                    statistics::kMostPrimaries);
  std::set<absl::string_view> names;
  for (int i = 0; i < std::min(spec.primary_metrics_size(), 100); ++i) {
    const std::string& name = spec.primary_metrics(i);
    CheckPrimary(spec, name, errors);
    if (!names.insert(name).second) {
      errors.Add("primary metric ", Quoted(name), ": named twice, want each once");
    }
  }
}

void CheckBlocks(const v1::JobSpec& spec, Errors& errors) {
  switch (spec.stopping()) {
    case v1::STOPPING_RULE_UNSPECIFIED:
    case v1::STOPPING_RULE_FIXED:
      errors.CheckRange("blocks", spec.blocks(), 1, 1000);
      return;
    case v1::STOPPING_RULE_QUICK:
    case v1::STOPPING_RULE_LOOKS:
      if (spec.blocks() == 0) return;
      errors.Add("blocks ", spec.blocks(), ": ", v1::StoppingRule_Name(spec.stopping()),
                 " knows its number, want 0");
      return;
    default:
      errors.Add("stopping ", static_cast<int>(spec.stopping()),
                 ": want one of StoppingRule, that is 1 to 3");
  }
}

}  // namespace

void CheckStopping(const v1::JobSpec& spec, Errors& errors) {
  CheckBlocks(spec, errors);
  errors.CheckRange("budget_s", spec.budget_s(), 0, kMostBudget);
  CheckPrimaries(spec, errors);
  if (spec.stopping() == v1::STOPPING_RULE_LOOKS && !HasPrimary(spec)) {
    errors.Add(
        "looks: no load of the job has a primary metric by itself, so that no look can decide: "
        "want one named, as in --primary launch.warm.avg");
  }
  if (spec.control()) {
    errors.CheckRange("number of variants of a job with a control", spec.variants_size(), 2,
                      kMostVariants - 1);
  }
  for (int i = 0; i < std::min(spec.variants_size(), kMostVariants); ++i) {
    if (!spec.variants(i).control()) continue;
    errors.Add("variant ", std::string(1, VariantLetter(static_cast<uint32_t>(i))),
               ": control: the farm adds it by itself, want control of the job");
  }
}

}  // namespace shakedown::plan
