// The runner as process 1 of the root disk.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_INIT_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_INIT_H_

#include <functional>

#include "absl/strings/string_view.h"

namespace shakedown::runner {

// Mounts what a system needs, runs `service` in a child, reaps every orphan, and powers off when
// the child has ended: 0 is an ordered end, anything else is said in one line on the console first.
// The child is apart so that a crash of ours does not look like a panic of the kernel under test.
[[noreturn]] void RunAsInit(const std::function<int()>& service);

// Ends all processes, syncs, makes the root read-only and powers off (restarts, where the kernel
// knows no way to power off). Process 1 only. `why` is said on the console unless empty.
[[noreturn]] void PowerOffMachine(absl::string_view why);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_INIT_H_
