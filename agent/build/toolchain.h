// The programs that turn a source into a kernel.
#ifndef SHAKEDOWN_AGENT_BUILD_TOOLCHAIN_H_
#define SHAKEDOWN_AGENT_BUILD_TOOLCHAIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "kernels/recipe/steps.h"

namespace shakedown::agent {

struct Toolchain {
  kernels::Tools tools;
  std::string
      versions;  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40"
};

// The compiler asked for (empty: gcc), the linker, and ccache when it is there. Unavailable: one of
// them, or of the other programs that a kernel build needs, is not on this host; names all that are
// missing.
absl::StatusOr<Toolchain> FindToolchain(const std::string& compiler);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_TOOLCHAIN_H_
