// Files in a folder that a stranger could write to.
#ifndef SHAKEDOWN_AGENT_BUILD_HOSTILE_FILES_H_
#define SHAKEDOWN_AGENT_BUILD_HOSTILE_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

// Content of the regular file `path` below `folder`. No symbolic link is followed and nothing
// outside the folder is reached, whatever is in it. NotFound: no such file. InvalidArgument: a
// link, a device, a path that leaves. OutOfRange: more than `limit` bytes.
absl::StatusOr<std::string> ReadBeneath(const std::string& folder, const std::string& path,
                                        size_t limit);

// Gives its content in pieces; `take` ends it with an error. Errors as ReadBeneath.
absl::Status StreamBeneath(const std::string& folder, const std::string& path,
                           absl::FunctionRef<absl::Status(absl::string_view)> take);

struct FileBeneath {
  std::string path;  // Below the folder that was asked.
  bool folder = false;
  uint64_t size = 0;  // Bytes; 0 of a folder.
};
// The folder `path` below `folder` and all that is in it, each folder before its content, in the
// order of bytes. `left_out`: paths that are passed over, whatever they are. Errors as ReadBeneath;
// OutOfRange: more than `limit` entries.
absl::StatusOr<std::vector<FileBeneath>> ListBeneath(const std::string& folder,
                                                     const std::string& path, size_t limit,
                                                     const std::vector<std::string>& left_out);

// SHA-256 of such a file, of any size, as 64 hex digits.
absl::StatusOr<std::string> Sha256Beneath(const std::string& folder, const std::string& path);

// All that `bytes` holds once unpacked (gzip, bzip2, xz, zstd; plain bytes come back as they are).
// OutOfRange: more than `limit`. InvalidArgument: damaged.
absl::StatusOr<std::string> Decompress(const std::string& bytes, size_t limit);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_HOSTILE_FILES_H_
