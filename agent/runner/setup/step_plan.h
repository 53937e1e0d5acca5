// What one setup step means on this machine: what is there now, how to change it, how to take that
// back. Looks, and changes nothing.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_STEP_PLAN_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_STEP_PLAN_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/runner/setup/undo_journal.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

struct StepPlan {
  std::string before;
  std::vector<UndoAction> undo;       // Empty: nothing to take back.
  std::function<absl::Status()> act;  // Null: nothing to do now.
};

// `root` stands before every path; empty outside tests. Errors: this machine can not do it; they
// name what it lacks. A step that is already as wanted has a plan without act and undo.
absl::StatusOr<StepPlan> PlanStep(const v1::SetupStep& step, const std::string& root);

inline constexpr char kOnBattery[] = "on battery";  // StepPlan.before of require_ac without mains.

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_STEP_PLAN_H_
