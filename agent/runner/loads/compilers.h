// Compilers that do not compile: ccache, distcc and their like under a compiler's name.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_COMPILERS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_COMPILERS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

// FailedPrecondition when the first cc, gcc, c++, g++ or clang in `path` (as in $PATH) is a link to
// a cache or distributor, or a script that calls one: builds would measure that. Names the file.
absl::Status CheckCompilers(absl::string_view path);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_COMPILERS_H_
