// Which kernel this is: what the farm compares with what it asked for before anything is measured.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_IDENTITY_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_IDENTITY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// Reads all of it anew. `tunables`: names to read; one that cannot be read is an error. No notes,
// no sched_ext in the kernel: those fields stay empty. Malformed notes are an error.
absl::StatusOr<v1::Identity> ReadIdentity(const std::vector<std::string>& tunables);

// The boot's id alone, or an error naming the file.
absl::StatusOr<std::string> ReadBootId();

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_IDENTITY_H_
