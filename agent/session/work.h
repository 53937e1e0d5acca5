// Performs one order with a machine or a build slot, from fetching what it needs to its result.
#ifndef SHAKEDOWN_AGENT_SESSION_WORK_H_
#define SHAKEDOWN_AGENT_SESSION_WORK_H_

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/build/build_slot.h"
#include "agent/machine/machine.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/input_cache.h"
#include "agent/session/journal.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::agent {

// Called from the worker's thread or one of its machine's; outlive the call.
struct WorkHooks {
  std::function<void(absl::string_view phase, float fraction)> progress;
  std::function<void(const v1::LiveTelemetry&)> live;  // As in BootHooks.
  std::function<void(absl::string_view bytes)> log;
  std::function<void(absl::Duration, absl::string_view)> dark;  // As in BootHooks, as all below.
  std::function<bool(absl::Duration)> told;
  const std::atomic<bool>* cancel = nullptr;
  const std::atomic<bool>* stop = nullptr;
};

// The farm's failures become OUTCOME_FARM_FAILED with a reason; while the machine has a problem it
// is handed back (OUTCOME_CANCELLED). Attempt, epoch and outcome are set, and a fact "input.NAME"
// for each input. Nothing: the boot is suspended, its order stays open. Before the boot all that
// `block`, the boots after it, will want is fetched as far as the farm can be reached now.
std::optional<v1::BootResult> PerformBoot(Machine& machine, const v1::BootOrder& order,
                                          const std::vector<v1::BootOrder>& block,
                                          ArtefactCache& cache, InputCache& inputs,
                                          const WorkHooks& hooks);

struct PerformedBuild {
  v1::BuildResult result;
  std::vector<CachedFile> outputs;  // What the result names, kept until it is reported.
};
PerformedBuild PerformBuild(BuildSlot& slot, const v1::BuildOrder& order, ArtefactCache& cache,
                            const WorkHooks& hooks);

// The results of work that came to nothing here. `reason` may hold any bytes.
v1::BootResult FailedBoot(const WorkKey& key, v1::Outcome outcome, absl::string_view reason);
v1::BuildResult FailedBuild(const WorkKey& key, v1::BuildResult::Status status,
                            absl::string_view reason);
// The same, FARM_FAILED or CANCELLED, as bytes for the journal.
std::string FarmFailed(const WorkKey& key, absl::string_view reason);
std::string HandedBack(const WorkKey& key, absl::string_view reason);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_WORK_H_
