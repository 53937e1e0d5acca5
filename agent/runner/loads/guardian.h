// Between the runner and a load: takes the load down when the runner dies, even by SIGKILL.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_GUARDIAN_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_GUARDIAN_H_

#include <sys/types.h>

#include <functional>

namespace shakedown::runner {

// Called in a process that `parent` has just forked, with a single thread. Returns in a child of
// it, which goes on as the load. The process itself stays as the guardian and never returns: it
// passes SIGINT on to the load and ends as the load ends, by the same code or signal. When `parent`
// dies, it kills every descendant of the load, calls `remove_files` and ends. `fd` is closed in the
// guardian.
void ContinueUnderGuard(pid_t parent, int fd, const std::function<void()>& remove_files);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_GUARDIAN_H_
