#include "controller/service/confirm_job.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "controller/history/load_key.h"
#include "controller/plan/check_job.h"
#include "controller/plan/estimate.h"
#include "controller/plan/make_plan.h"
#include "controller/service/prepare_job.h"
#include "kernels/recipe/keys.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

// The same source again: "linux-source-6.12 6.12.117-1~deb12u1 sha256:…" says what a name without a
// version turned out to be.
absl::StatusOr<v1::ResolvedKernel> Pinned(const store::ConfirmSide& side) {
  v1::ResolvedKernel resolved = side.kernel;
  v1::Kernel& kernel = *resolved.mutable_kernel();
  const std::vector<std::string> words = absl::StrSplit(side.source_version, ' ');
  const bool told = words.size() >= 2 && !words[0].empty() && !words[1].empty();
  if (kernel.has_local_tree()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "kernel ", kernel.name(), ": a local tree can not be had again as it was measured"));
  }
  if (kernel.has_debian_source() && kernel.debian_source().version().empty() && told) {
    kernel.mutable_debian_source()->set_version(words[1]);
  }
  if (kernel.has_debian_image() && kernel.debian_image().version().empty() && told) {
    kernel.mutable_debian_image()->set_package(words[0]);
    kernel.mutable_debian_image()->set_version(words[1]);
  }
  return resolved;
}

absl::StatusOr<v1::Variant> VariantOf(const store::ConfirmSide& side) {
  if (side.variant >= static_cast<uint32_t>(side.spec.variants_size())) {
    return absl::FailedPreconditionError("the job that measured the kernel has no such variant");
  }
  v1::Variant variant = side.spec.variants(static_cast<int>(side.variant));
  variant.set_control(false);
  return variant;
}

std::string EstimateText(const v1::ReportMetric& metric, const v1::ReportComparison& c) {
  if (!c.has_estimate()) return "no estimate";
  if (metric.scale() == "ratio") {
    return absl::StrFormat("%+.1f%% [%+.1f%%, %+.1f%%]", 100 * c.estimate(), 100 * c.ci_lo(),
                           100 * c.ci_hi());
  }
  return absl::StrFormat("%+.4g [%+.4g, %+.4g] %s", c.estimate(), c.ci_lo(), c.ci_hi(),
                         metric.unit());
}

std::string TextOf(const v1::ReportMetric& metric, const v1::ReportComparison& c) {
  std::string text = absl::StrFormat("%s: %s (%.4g%% CI), %d blocks", c.verdict(),
                                     EstimateText(metric, c), 100 * c.level(), c.n());
  if (c.has_base_median() && c.has_median()) {
    absl::StrAppendFormat(&text, ", median %.6g → %.6g %s", c.base_median(), c.median(),
                          metric.unit());
  }
  if (c.has_p_adjusted()) absl::StrAppendFormat(&text, ", adjusted p %.2g", c.p_adjusted());
  if (!c.note().empty()) absl::StrAppend(&text, "; ", c.note());
  return text;
}

v1::RegressionState StateAfter(const std::string& verdict, bool improvement) {
  if (verdict == (improvement ? "better" : "worse")) return v1::REGRESSION_STATE_CONFIRMED;
  if (verdict == "same" || verdict == "small" || verdict == "better" || verdict == "worse") {
    return v1::REGRESSION_STATE_REFUTED;
  }
  return v1::REGRESSION_STATE_SUSPECTED;
}

}  // namespace

absl::StatusOr<v1::Load> LoadOf(const store::ConfirmSides& sides) {
  const std::vector<history::LoadKey> keys = history::LoadKeysOf(sides.bad.spec);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].sha256 == sides.load_sha256) return sides.bad.spec.loads(static_cast<int>(i));
  }
  return absl::FailedPreconditionError("the load is in no job that measured the kernel");
}

absl::StatusOr<store::Submission> ConfirmJob(const store::ConfirmSides& sides,
                                             const std::vector<v1::MachineView>& machines,
                                             const ConfirmWish& wish) {
  v1::JobSpec spec;
  spec.set_title(absl::StrCat("confirm ", wish.regression, ": ", wish.metric));
  ASSIGN_OR_RETURN(*spec.add_variants(), VariantOf(sides.good));
  ASSIGN_OR_RETURN(*spec.add_variants(), VariantOf(sides.bad));
  ASSIGN_OR_RETURN(*spec.add_loads(), LoadOf(sides));
  *spec.mutable_background() = sides.bad.spec.background();
  *spec.mutable_setup() = sides.bad.spec.setup();
  spec.mutable_machines()->add_names(wish.machine);
  spec.set_stopping(wish.quick ? v1::STOPPING_RULE_QUICK : v1::STOPPING_RULE_LOOKS);
  spec.add_primary_metrics(wish.metric);
  plan::Kernels kernels;
  store::Submission submission;
  for (const store::ConfirmSide* side : {&sides.good, &sides.bad}) {
    ASSIGN_OR_RETURN(const v1::ResolvedKernel resolved, Pinned(*side));
    kernels[resolved.kernel().name()] = resolved.kernel();
    submission.variants.push_back({.kernel = resolved,
                                   .request_key = kernels::RequestKey(resolved),
                                   .build_limit_s = plan::kBuildLimitSeconds});
  }
  RETURN_IF_ERROR(plan::CheckJob(spec, kernels));
  RETURN_IF_ERROR(CheckMachines(spec.machines(), machines));
  submission.request_id = wish.request_id;
  submission.submitter = "farm";
  submission.spec = plan::WithDefaults(spec);
  submission.plan = plan::MakePlan(submission.spec, DrawSeed());
  submission.boot_limit_s = plan::kBootLimitSeconds;
  submission.run_limit_s = plan::RunLimitSeconds(submission.spec);
  return submission;
}

store::ConfirmVerdict VerdictOf(const v1::Report& report, const store::OpenRegression& regression) {
  store::ConfirmVerdict verdict;
  verdict.regression = regression.id;
  verdict.job = regression.confirm_job;
  verdict.state = v1::REGRESSION_STATE_SUSPECTED;
  verdict.verdict = "none";
  verdict.text = absl::StrCat("job ", regression.confirm_job, " gave no verdict",
                              report.no_verdict().empty() ? "" : ": ", report.no_verdict(),
                              report.end_reason().empty() ? "" : "; ", report.end_reason());
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      if (metric.name() != regression.metric || metric.comparisons().empty()) continue;
      const v1::ReportComparison& comparison = metric.comparisons(0);
      verdict.verdict = comparison.verdict();
      verdict.text = TextOf(metric, comparison);
      verdict.state = StateAfter(comparison.verdict(), regression.improvement);
      return verdict;
    }
  }
  return verdict;
}

}  // namespace shakedown::service
