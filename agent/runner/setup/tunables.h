// Runtime settings of the kernel: written, then read back.
//   "kernel.sched_autogroup_enabled"  a sysctl: /proc/sys/kernel/sched_autogroup_enabled
//   "sched/base_slice_ns"             a file of the scheduler in debugfs: /sys/kernel/debug/sched/…
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_TUNABLES_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_TUNABLES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

// InvalidArgument unless `name` is of [a-z0-9_.-] with at least one dot, or "sched/" +
// [a-z0-9_./-], at most 128 bytes, without ".." and empty parts.
absl::StatusOr<std::string> TunablePath(absl::string_view name);

// All functions below: `root` stands before the path; empty outside tests. Errors name the tunable.

// The value without its final newline. Of a list with a chosen word, "none (voluntary) full", the
// chosen word.
absl::StatusOr<std::string> ReadTunable(absl::string_view name, const std::string& root = "");

// Writes and gives what is read back; the caller judges whether it is what was wanted. NotFound:
// this kernel has no such tunable; names those beside it that are spelt most like it.
absl::StatusOr<std::string> ApplyTunable(absl::string_view name, absl::string_view value,
                                         const std::string& root = "");

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_TUNABLES_H_
