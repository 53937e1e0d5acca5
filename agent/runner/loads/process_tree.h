// Our descendants, whatever process group or session they have moved to.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PROCESS_TREE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PROCESS_TREE_H_

#include <sys/types.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {

// From now on orphaned descendants become children of this process.
absl::Status AdoptOrphans();

// For this process and, until they call the other, its children: the out-of-memory killer passes
// over them.
absl::Status SpareFromOutOfMemory();
absl::Status ExposeToOutOfMemory();

// Sends SIGKILL to every descendant and reaps until none is left. DeadlineExceeded: one still is
// after `limit` (it hangs in the kernel); names it. Reaps children of the whole process: nobody
// else may wait for a child meanwhile. `spared`: these and all below them live on.
absl::Status EndDescendants(absl::Duration limit, Clock& clock, const std::set<pid_t>& spared = {});

// Parent of the process that /proc/PID/stat `text` is of; the name in it may hold anything.
std::optional<pid_t> ParentOf(absl::string_view text);

// All descendants of `ancestor` in (pid, parent) pairs, without `spared` and those below them; any
// order.
std::vector<pid_t> DescendantsOf(pid_t ancestor,
                                 const std::vector<std::pair<pid_t, pid_t>>& parents,
                                 const std::set<pid_t>& spared = {});
// Those there are now.
std::vector<pid_t> DescendantsOf(pid_t ancestor);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PROCESS_TREE_H_
