// An archive of a stranger, unpacked into a folder without root's rights.
#ifndef SHAKEDOWN_AGENT_INPUTS_UNPACK_TREE_H_
#define SHAKEDOWN_AGENT_INPUTS_UNPACK_TREE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "proto/wire/tree_archive.h"

namespace shakedown::agent {

struct UnpackedTree {
  std::string folder;   // The tree: the archive's one top folder, or all of it.
  uint64_t inodes = 0;  // Files, folders and links.
  uint64_t blocks = 0;  // Of 4 KiB, that their content takes in a file system, at least.
};

// Unpacks into `folder`, which is there, empty, and nobody else's. Modes are 0644, 0755 where the
// owner may execute; owners are not restored, times of modification are. Errors as ReadTree, and
// ResourceExhausted: the disk is full. What was written stays for the caller to remove.
absl::StatusOr<UnpackedTree> UnpackTree(const std::string& archive, const std::string& folder,
                                        const TreeLimits& limits, const std::atomic<bool>* cancel);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_INPUTS_UNPACK_TREE_H_
