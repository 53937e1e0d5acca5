// Who a load is, on a machine that belongs to somebody: not root.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_USER_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_USER_H_

#include <sys/types.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

struct LoadUser {
  uid_t uid = 0;
  gid_t gid = 0;
};

// "998:997". Nothing: not two numbers from 1 (root is no such user).
std::optional<LoadUser> ParseLoadUser(absl::string_view text);

// For the process of a load, of one thread, before it begins: gives up root for good. What is
// measured needs two things of root's and keeps them, also over exec and in its children:
// CAP_SYS_NICE (real-time policies, negative nice) and CAP_IPC_LOCK (mlockall). Programs that are
// set-uid give it nothing more. The kernel forgets PR_SET_PDEATHSIG: set it again.
// PermissionDenied: not root.
absl::Status BecomeLoadUser(const LoadUser& user);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_USER_H_
