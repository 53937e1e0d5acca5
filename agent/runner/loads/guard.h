// Ends a load whose runner has died, however it died.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_GUARD_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_GUARD_H_

#include <sys/types.h>

#include <functional>

namespace shakedown::runner {

// Forks a guard, which forks the worker that runs `work` and never returns, and waits for it
// without ever waking meanwhile; it ends as the worker ended. When our process dies first, also by
// SIGKILL, the guard ends all of the worker's descendants and calls `clean_up`. Our process has a
// single thread and has called AdoptOrphans(). Returns the guard's pid, or -1 with errno.
pid_t ForkGuarded(const std::function<void()>& work, const std::function<void()>& clean_up);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_GUARD_H_
