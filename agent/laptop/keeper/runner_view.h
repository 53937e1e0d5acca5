// What the runner and its loads see of the owner's machine. The runner is root, its loads are not
// (agent/runner/loads/load_user.h), and the kernel can do anything: this keeps mistakes from the
// owner's data, it is no wall against a kernel.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_VIEW_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_VIEW_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace shakedown::laptop {

// For a process that has just been forked and has one thread: gives it a mount namespace in which
// each of `hidden` that exists is an empty, read-only folder and /dev has no disks, and takes the
// capabilities to make device nodes, load modules, reboot and use raw I/O from it and its children.
absl::Status EnterRunnerView(const std::vector<std::string>& hidden);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_VIEW_H_
