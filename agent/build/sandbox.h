// A place where a stranger's makefiles may run: bubblewrap, no network, an unprivileged user,
// limits.
#ifndef SHAKEDOWN_AGENT_BUILD_SANDBOX_H_
#define SHAKEDOWN_AGENT_BUILD_SANDBOX_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::agent {

// The user that builds run as. Absent when the agent is no root: it builds as itself, in a user
// namespace.
struct BuildUser {
  uid_t uid;
  gid_t gid;
};

struct SandboxSpec {
  std::optional<BuildUser> user;
  // Host folder or file, path inside. The system (/usr and what it needs) is always there,
  // read-only.
  std::vector<std::pair<std::string, std::string>> read_only;
  std::vector<std::pair<std::string, std::string>> writable;
  std::vector<std::string> environment;  // All of it, "NAME=value".
};

// The program inside the sandbox as one that RunCommand starts. When it is ended, everything inside
// ends: the first process of the process namespace dies with bwrap. Pure.
std::vector<std::string> SandboxArgv(const SandboxSpec& spec, const std::vector<std::string>& argv);

// The user to build as: none when we are not root, else "shakedown-build", made (a system user
// without home, shell or password) when it does not exist. Unavailable: could not be made.
absl::StatusOr<std::optional<BuildUser>> FindBuildUser();

// Makes the folder when it is not there, and gives it with all that is in it to the user, if there
// is one.
absl::Status GiveFolder(const std::optional<BuildUser>& user, const std::string& path);

// OK when a program started in the sandbox runs as the user wanted, sees no network but its own
// loopback, and cannot write outside. Unavailable: what is missing and how to get it.
absl::Status ProveSandbox(const std::optional<BuildUser>& user);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_SANDBOX_H_
