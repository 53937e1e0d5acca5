// Files in a folder that a stranger could write to.
#ifndef SHAKEDOWN_AGENT_BUILD_HOSTILE_FILES_H_
#define SHAKEDOWN_AGENT_BUILD_HOSTILE_FILES_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::agent {

// Content of the regular file `path` below `folder`. No symbolic link is followed and nothing
// outside the folder is reached, whatever is in it. NotFound: no such file. InvalidArgument: a
// link, a device, a path that leaves. OutOfRange: more than `limit` bytes.
absl::StatusOr<std::string> ReadBeneath(const std::string& folder, const std::string& path,
                                        size_t limit);

// SHA-256 of such a file, of any size, as 64 hex digits.
absl::StatusOr<std::string> Sha256Beneath(const std::string& folder, const std::string& path);

// All that `bytes` holds once unpacked (gzip, bzip2, xz, zstd; plain bytes come back as they are).
// OutOfRange: more than `limit`. InvalidArgument: damaged.
absl::StatusOr<std::string> Decompress(const std::string& bytes, size_t limit);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_HOSTILE_FILES_H_
