// A kernel's modules as one file, for machines that have a root of their own.
#ifndef SHAKEDOWN_AGENT_BUILD_MODULES_ARCHIVE_H_
#define SHAKEDOWN_AGENT_BUILD_MODULES_ARCHIVE_H_

#include <string>

#include "absl/status/status.h"

namespace shakedown::agent {

// Writes `out`: lib/modules/RELEASE of `root`, distrusted, as a tar archive packed with zstd. The
// same bytes for the same files: sorted by path, owned by root, modes 0644 and 0755, time 0. The
// links `build` and `source` to the tree it was made from are left out. NotFound: there is no such
// folder. InvalidArgument: another link, or what is neither file nor folder. OutOfRange: more than
// 60,000 entries or 4 GiB, the most that a laptop takes. Others: `out` could not be written.
absl::Status PackModules(const std::string& root, const std::string& release,
                         const std::string& out);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_MODULES_ARCHIVE_H_
