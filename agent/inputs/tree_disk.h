// An unpacked tree as a disk that a guest mounts read-only.
#ifndef SHAKEDOWN_AGENT_INPUTS_TREE_DISK_H_
#define SHAKEDOWN_AGENT_INPUTS_TREE_DISK_H_

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "agent/inputs/unpack_tree.h"

namespace shakedown::agent {

// Makes a raw ext4 image at `image` with mke2fs. The same tree under the same `sha256` (of its
// archive) is laid out the same way, but for the order in which this host's file system lists a
// folder and the inodes' times of change; files belong to this process's user. NotFound: no mke2fs.
// ResourceExhausted: the disk is full.  Cancelled.
absl::Status MakeTreeDisk(const UnpackedTree& tree, const std::string& sha256,
                          const std::string& image, const std::atomic<bool>* cancel);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_INPUTS_TREE_DISK_H_
