#include "db/store/boot_check.h"

#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "db/store/histograms.h"
#include "db/store/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

absl::Status Bad(absl::string_view what, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; ", want));
}

absl::Status CheckMeasurement(const v1::Measurement& m) {
  if (m.metric().empty()) return Bad("a measurement without a metric", "a name is wanted");
  if (!std::isfinite(m.value())) {
    return Bad(absl::StrCat("metric ", Quoted(m.metric()), ": ", m.value()),
               "a finite number is wanted: what can not be read is not reported");
  }
  return absl::OkStatus();
}

absl::Status CheckSeries(const v1::LoadRun& run) {
  std::set<std::string> names;
  for (const v1::Series& series : run.series()) {
    const std::string what = absl::StrCat("series ", Quoted(series.name()));
    if (series.name().empty() || !names.insert(series.name()).second) {
      return Bad(what, "a name that no other series of the load run has is wanted");
    }
    if (series.step_ms() == 0) return Bad(absl::StrCat(what, ": step 0 ms"), "more is wanted");
    for (double value : series.values()) {
      if (std::isinf(value))
        return Bad(absl::StrCat(what, ": ", value), "a finite number or NaN is wanted");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRun(const v1::LoadRun& run, int loads) {
  if (static_cast<int64_t>(run.load()) >= loads) {
    return Bad(absl::StrCat("index ", run.load()), absl::StrCat("the job has ", loads, " loads"));
  }
  for (const v1::Measurement& m : run.measurements()) RETURN_IF_ERROR(CheckMeasurement(m));
  for (const v1::Disturbance& disturbance : run.disturbances()) {
    if (disturbance.rule().empty() || disturbance.fact().empty()) {
      return Bad("a disturbance without a rule or a fact", "both are wanted");
    }
  }
  RETURN_IF_ERROR(CheckHistograms(run));
  return CheckSeries(run);
}

absl::Status CheckRuns(const v1::BootResult& result, int loads) {
  std::set<uint32_t> seen;
  for (const v1::LoadRun& run : result.load_runs()) {
    const std::string what = absl::StrCat("load run ", run.load());
    RETURN_IF_ERROR(Annotate(CheckRun(run, loads), what));
    if (!seen.insert(run.load()).second)
      return Bad(absl::StrCat(what, ": is there twice"), "one is wanted");
    if (result.outcome() == v1::OUTCOME_MEASURED && !run.disturbances().empty()) {
      return Bad(absl::StrCat(what, ": disturbed: ", run.disturbances(0).fact()),
                 "a measured boot was not disturbed");
    }
    if (result.outcome() == v1::OUTCOME_MEASURED && run.measurements().empty()) {
      return Bad(absl::StrCat(what, ": measured nothing"),
                 "a measured boot has numbers of every load");
    }
  }
  if (result.outcome() == v1::OUTCOME_MEASURED && static_cast<int>(seen.size()) != loads) {
    return Bad(absl::StrCat(seen.size(), " load runs in a measured boot"),
               absl::StrCat("one of each of the job's ", loads, " loads is wanted"));
  }
  if (result.outcome() == v1::OUTCOME_WRONG_KERNEL && !seen.empty()) {
    return Bad("load runs of a wrong kernel", "none is wanted: nothing of it is a result");
  }
  for (const v1::SetupRecord& record : result.setup()) {
    if (record.step().empty()) return Bad("a setup record without a step", "its text is wanted");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckBootResult(const v1::BootResult& result, int loads) {
  const std::string what = absl::StrCat("attempt ", result.attempt_id());
  if (OutcomeWord(result.outcome()).empty()) {
    return Annotate(Bad(absl::StrCat("outcome ", result.outcome()), "one of Outcome is wanted"),
                    what);
  }
  if (result.outcome() == v1::OUTCOME_BUILD_FAILED) {
    return Annotate(Bad("outcome build_failed", "that is told by the build's result"), what);
  }
  return Annotate(CheckRuns(result, loads), what);
}

}  // namespace shakedown::store
