// The compiler cache of a build: shared where everybody's input is trusted, else the kernel's own.
#ifndef SHAKEDOWN_AGENT_BUILD_COMPILER_CACHE_H_
#define SHAKEDOWN_AGENT_BUILD_COMPILER_CACHE_H_

#include <atomic>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "agent/build/sandbox.h"

namespace shakedown::agent {

// The folder below `folder` that the build of `kernel` may write as its ccache. A trusted build has
// the shared one; any other starts from a copy of that and keeps it under the kernel's name, so
// nobody can put objects into another's kernel. The copies of the eight kernels built last are
// kept.
absl::StatusOr<std::string> LayOutCompilerCache(const std::string& folder,
                                                const std::string& kernel, bool trusted,
                                                const std::optional<BuildUser>& user,
                                                const std::atomic<bool>* cancel);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_COMPILER_CACHE_H_
