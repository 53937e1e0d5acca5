#include "agent/runner/loads/load.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/command.h"
#include "agent/runner/loads/frames.h"
#include "agent/runner/loads/interbench.h"
#include "agent/runner/loads/latt.h"
#include "agent/runner/loads/launch.h"
#include "agent/runner/loads/make.h"
#include "agent/runner/loads/tool.h"
#include "proto/wire/load_kind.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr uint32_t kMostIterations = 100;
constexpr uint32_t kMostWarmups = 10;

}  // namespace

absl::StatusOr<v1::LoadRun> RunLoad(const v1::Load& load, const LoadContext& context) {
  RETURN_IF_ERROR(CheckIterations(load));
  switch (load.kind_case()) {
    case v1::Load::kMake:
      return RunMakeLoad(load, context);
    case v1::Load::kLatt:
      return RunLattLoad(load, context);
    case v1::Load::kInterbench:
      return RunInterbenchLoad(load, context);
    case v1::Load::kLaunch:
      return RunLaunchLoad(load, context);
    case v1::Load::kFrames:
      return RunFramesLoad(load, context);
    case v1::Load::kCommand:
      return RunCommandLoad(load, context);
    case v1::Load::kTool:
      return RunToolLoad(load, context);
    case v1::Load::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("load: no kind is set, want ", kLoadKinds));
}

absl::Status CheckIterations(const v1::Load& load) {
  if (load.iterations() > kMostIterations) {
    return absl::InvalidArgumentError(
        absl::StrCat("load: iterations ", load.iterations(), ", want at most ", kMostIterations));
  }
  if (load.warmups() > kMostWarmups) {
    return absl::InvalidArgumentError(
        absl::StrCat("load: warmups ", load.warmups(), ", want at most ", kMostWarmups));
  }
  return absl::OkStatus();
}

uint32_t AllIterations(const v1::Load& load) {
  return load.warmups() + std::max<uint32_t>(1, load.iterations());
}

void Recorder::Add(absl::string_view metric, double value, absl::string_view unit) {
  v1::Measurement* measurement = run_.add_measurements();
  measurement->set_metric(std::string(metric));
  measurement->set_value(value);
  measurement->set_unit(std::string(unit));
  measurement->set_iteration(iteration_);
  measurement->set_warmup(warmup_);
}

void Recorder::AddHistogram(absl::string_view metric, const LatencyHistogram& histogram,
                            absl::Duration duration, bool from_intended_start) {
  if (histogram.Count() == 0) return;
  v1::LatencyHistogram* added = run_.add_histograms();
  added->set_metric(std::string(metric));
  added->set_unit("us");
  added->set_iteration(iteration_);
  added->set_warmup(warmup_);
  for (const LatencyHistogram::Bucket& bucket : histogram.Buckets()) {
    added->add_smallest(bucket.smallest);
    added->add_count(bucket.count);
  }
  added->set_max(histogram.Max());
  added->set_from_intended_start(from_intended_start);
  added->set_duration_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(duration)));
}

}  // namespace shakedown::runner
