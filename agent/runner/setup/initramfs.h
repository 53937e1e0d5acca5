// The runner as /init of an initramfs: loads the modules the kernel needs to reach its root disk,
// then hands over to the runner there. Used with ready kernels whose drivers are modules.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_INITRAMFS_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_INITRAMFS_H_

#include "absl/status/status.h"

namespace shakedown::runner {

// The list of module files, one a line, relative to /modules, in the order of loading. Its presence
// is what tells an initramfs from a root disk.
inline constexpr char kModuleList[] = "/modules/load.txt";

// Where the runner lives on the root disk; init= on the kernel's command line overrides it.
inline constexpr char kRunnerPath[] = "/usr/lib/shakedown/shakedown-runner";

// Mounts proc, sysfs and devtmpfs, loads the modules (what cannot be loaded is said on the console
// and skipped), waits at most 10 s for root=, mounts it, makes it the root and executes the runner
// there. Returns only when that failed: an error naming the device or program.
absl::Status LeaveInitramfs();

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_INITRAMFS_H_
