#include "controller/cli/exit_code.h"

#include <cstdint>
#include <set>

#include "controller/cli/input_file.h"
#include "controller/plan/views.h"

namespace shakedown::cli {

Fault FaultOf(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_MEASURED:
      return Fault::kNone;
    case v1::OUTCOME_BUILD_FAILED:
    case v1::OUTCOME_BOOT_FAILED:
    case v1::OUTCOME_PANICKED:
    case v1::OUTCOME_HUNG:
    case v1::OUTCOME_WRONG_KERNEL:
    case v1::OUTCOME_SCHEDULER_EJECTED:
    case v1::OUTCOME_LOAD_FAILED:
      return Fault::kKernel;
    case v1::OUTCOME_CANCELLED:
      return Fault::kCancelled;
    default:
      // Disturbed, farm_failed, and what a newer farm may send: not measured and no finding.
      return Fault::kFarm;
  }
}

int ExitCodeOf(const v1::JobView& job) {
  if (job.state() != v1::JOB_STATE_DONE) return kInconclusive;
  std::set<uint32_t> repeated;
  for (const v1::PlannedBlock& block : job.plan().blocks()) repeated.insert(block.replaces());
  int code = kOk;
  for (const auto& [key, boot] : plan::LastAttemptsOf(job)) {
    switch (FaultOf(boot->outcome())) {
      case Fault::kFarm:
        if (repeated.count(key.first) > 0) break;
        return kFarmFailed;
      case Fault::kKernel:
        code = kKernelFailed;
        break;
      case Fault::kCancelled:
        if (code == kOk) code = kInconclusive;
        break;
      case Fault::kNone:
        break;
    }
  }
  return code;
}

int ExitCodeOfConclusion(absl::string_view conclusion) {
  if (conclusion == "worse") return kWorse;
  return conclusion == "inconclusive" ? kInconclusive : kOk;
}

int ExitCodeBesideVerdicts(const absl::Status& status) {
  const int code = ExitCodeOf(status);
  return code == kOther ? kFarmFailed : code;
}

int ExitCodeOf(const absl::Status& status) {
  if (IsNoInput(status)) return kNoInput;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
      return kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kFarmFailed;
    default:
      return kOther;
  }
}

}  // namespace shakedown::cli
