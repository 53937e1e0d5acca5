// A small process that takes a setup back when the one that made it dies, even by SIGKILL.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_UNDO_GUARDIAN_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_UNDO_GUARDIAN_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace shakedown::runner {

// Forks it: a child that sleeps until the calling thread ends, then does UndoLeftovers(root). It
// has none of our descriptors but the standard ones.
absl::StatusOr<pid_t> StartUndoGuardian(const std::string& root);

// Without undoing anything. Reaps it.
void EndUndoGuardian(pid_t guardian);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_UNDO_GUARDIAN_H_
