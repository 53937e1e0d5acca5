// The kernel's page, dentry and inode caches, emptied so that what comes next is cold.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_CACHES_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_CACHES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/wire/descriptor.h"

namespace shakedown::runner {

inline constexpr char kDropCachesFile[] = "/proc/sys/vm/drop_caches";

// Writes back what is dirty, then drops all that no process has mapped. PermissionDenied: not root.
absl::Status DropCaches(const std::string& control = kDropCachesFile);

// For loads that are not root: a process that is, and does DropCaches() for whoever holds the
// descriptor, one at a time, until that is closed. It is our child, for the caller to end and reap.
absl::StatusOr<Descriptor> StartCacheDropper(const std::string& control = kDropCachesFile);
absl::Status DropCachesBy(const Descriptor& dropper);

// FailedPrecondition when files in `folder` are memory themselves (tmpfs, ramfs): dropping caches
// makes nothing there cold.
absl::Status CheckOnDisk(const std::string& folder);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_CACHES_H_
