// A load run for a person at a terminal: output as of the programs people know, or JSON.
#ifndef SHAKEDOWN_AGENT_RUNNER_FOR_PERSON_H_
#define SHAKEDOWN_AGENT_RUNNER_FOR_PERSON_H_

#include "absl/status/statusor.h"
#include "agent/runner/cli.h"

namespace shakedown::runner {

// Blocks until the load has ended. Exit code: 0 measured, 1 the load failed, which has been said.
// An error: the load is not to be run as it was asked for. ^C ends the load; of latt, the command
// first.
absl::StatusOr<int> RunLoadForPerson(LoadCommandLine line);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_FOR_PERSON_H_
