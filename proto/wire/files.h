// Whole files: read with a bound, written by rename. Errors as ErrnoStatus, naming the path.
#ifndef SHAKEDOWN_PROTO_WIRE_FILES_H_
#define SHAKEDOWN_PROTO_WIRE_FILES_H_

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// OutOfRange when the file is longer than `limit` bytes. Works for /proc and /sys files (size
// unknown).
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit = 64 << 20);

// Makes what was created, renamed or removed in a folder last over a power loss.
absl::Status SyncFolder(const std::string& folder);

// Writes beside the target, fsyncs, renames over it, fsyncs the folder: after a crash the old or
// the new content stands, never a mixture. `mode` as for open(2).
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content,
                                 mode_t mode = 0644);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_FILES_H_
