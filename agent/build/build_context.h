// What every part of one build shares.
#ifndef SHAKEDOWN_AGENT_BUILD_BUILD_CONTEXT_H_
#define SHAKEDOWN_AGENT_BUILD_BUILD_CONTEXT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/build/build_slot.h"
#include "agent/build/build_store.h"
#include "agent/build/debian.h"
#include "agent/build/sandbox.h"
#include "agent/build/source.h"

namespace shakedown::agent {

struct BuildContext {
  const BuildSlotOptions& options;
  const v1::BuildOrder& order;
  const BuildHooks& hooks;
  BuildStore& store;
  std::optional<BuildUser> user;
  absl::Duration deadline;  // On SystemClock().Elapsed().
  std::string work;         // Empty folder of this build alone.
  size_t logged = 0;

  // Passes on to the hook until the log's bound is reached, which the last line says.
  void Log(absl::string_view bytes);
  void Progress(absl::string_view phase, float fraction) const;
  SourceContext ForSource(Debian& debian);
};

// Makes a kernel from source. Errors: InvalidArgument, FailedPrecondition, DeadlineExceeded are the
// kernel's fault, Cancelled nobody's, all others the farm's.
absl::StatusOr<BuildOutcome> BuildFromSource(BuildContext& context);

// Takes a kernel out of a ready Debian package. Errors as BuildFromSource.
absl::StatusOr<BuildOutcome> TakeReadyImage(BuildContext& context);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_BUILD_CONTEXT_H_
