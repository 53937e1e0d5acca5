// What keeps the machine busy while a load measures.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_BESIDE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_BESIDE_H_

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/runner/loads/build_tree.h"
#include "agent/runner/loads/companion.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// The build or the command over and over, or threads that burn. One owner.
class BesideLoad {
 public:
  // Prepares and starts it, and gives it a second to get going. Nothing set: nothing runs.
  // `run` takes warnings of the preparation.
  static absl::StatusOr<BesideLoad> Start(const v1::Beside& beside, const LoadContext& context,
                                          v1::LoadRun& run);
  // Unavailable: it has ended (a build or a command failed), so what was measured meanwhile is of
  // no worth.
  absl::Status CheckAlive();
  // Ends it and removes what it has built.
  absl::Status Stop();

 private:
  std::unique_ptr<Companion> companion_;
  std::optional<BuildPlan> build_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_BESIDE_H_
