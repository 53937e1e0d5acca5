// lib/modules/RELEASE of a test kernel, from a stranger's archive.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_MODULES_TREE_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_MODULES_TREE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/laptop/boot/disk.h"

namespace shakedown::laptop {

// Bytes that the tree will take on a disk. InvalidArgument: not an archive of regular files and
// folders below lib/modules/RELEASE alone. OutOfRange: more than 4 GiB or 60,000 files.
absl::StatusOr<uint64_t> MeasureModules(const std::string& archive, const std::string& release);

// Unpacks what is below lib/modules/RELEASE into the folder `to`, which is there and empty. Nothing
// is synced.
absl::Status UnpackModules(Disk& disk, const std::string& archive, const std::string& release,
                           const std::string& to);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_MODULES_TREE_H_
