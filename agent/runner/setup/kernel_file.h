// Files of /proc and /sys that are written.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_KERNEL_FILE_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_KERNEL_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

// In one write, as the kernel wants it; never creates a file. Errors name path and value.
absl::Status WriteKernelFile(const std::string& path, absl::string_view value);

// Without white space at its ends.
absl::StatusOr<std::string> ReadKernelFile(const std::string& path);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_KERNEL_FILE_H_
