// The kernel's page, dentry and inode caches, emptied so that what comes next is cold.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_CACHES_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_CACHES_H_

#include <string>

#include "absl/status/status.h"

namespace shakedown::runner {

inline constexpr char kDropCachesFile[] = "/proc/sys/vm/drop_caches";

// Writes back what is dirty, then drops all that no process has mapped. PermissionDenied: not root.
absl::Status DropCaches(const std::string& control = kDropCachesFile);

// FailedPrecondition when files in `folder` are memory themselves (tmpfs, ramfs): dropping caches
// makes nothing there cold.
absl::Status CheckOnDisk(const std::string& folder);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_CACHES_H_
