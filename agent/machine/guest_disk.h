// The guest's root disk: a raw image that is only read, and a copy-on-write overlay for each boot.
#ifndef SHAKEDOWN_AGENT_MACHINE_GUEST_DISK_H_
#define SHAKEDOWN_AGENT_MACHINE_GUEST_DISK_H_

#include <string>

#include "absl/status/status.h"

namespace shakedown::agent {

// OK for a raw ext4 image. FailedPrecondition, naming the file: an image of another format (a qcow2
// could name any file of the host as its backing file), no ext4 file system, or one that the file
// is too short for.
absl::Status CheckGuestImage(const std::string& image);

// OK for a file that starts as a bzImage does. InvalidArgument: it does not.
absl::Status CheckKernelImage(const std::string& kernel);

// Makes the overlay with qemu-img. ResourceExhausted: no space.
absl::Status MakeOverlay(const std::string& image, const std::string& overlay);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_GUEST_DISK_H_
