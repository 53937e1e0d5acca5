// Tar archives of strangers that hold a tree of files: read entry by entry, each checked before
// anybody sees it.
#ifndef SHAKEDOWN_PROTO_WIRE_TREE_ARCHIVE_H_
#define SHAKEDOWN_PROTO_WIRE_TREE_ARCHIVE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown {

struct TreeLimits {
  uint64_t bytes = uint64_t{6} << 30;  // Of all files together; linux-6.12 has 1.4 GiB.
  uint64_t entries = 400'000;          // linux-6.12 has 92,000.
};

struct TreeEntry {
  enum class Kind { kFolder, kFile, kSymbolicLink, kHardLink };
  Kind kind = Kind::kFile;
  std::string path;    // "a/b": relative, no empty part, no "." and "..".
  std::string target;  // Of a symbolic link as it stands there; of a hard link the path of a file
                       // seen before.
  bool executable = false;  // By its owner.
  int64_t mtime_s = 0;      // From 0 to 2^31 - 1.
};

// Is told of a tree in an order in which it can be made: folders before what is in them, each path
// once, nothing below anything but a folder. Errors end the reading.
class TreeVisitor {
 public:
  virtual ~TreeVisitor() = default;
  virtual absl::Status Entry(const TreeEntry& entry) = 0;
  virtual absl::Status Data(absl::string_view piece) = 0;  // Of the file entered last.
};

struct TreeShape {
  std::string top;  // The one folder that holds all the rest, as linux-6.12/ does in its tarball;
                    // empty: there is none.
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

// Reads a tar archive, plain or packed with gzip, xz or zstd. `visitor` may be null: then it is
// only checked. Blocks. InvalidArgument, naming the entry: a path that is absolute or leaves the
// tree, control characters, a path that is there twice or below a file, a device, pipe or socket, a
// link out of the tree (below the top folder, when there is one), something that is no such archive
// or damaged.  OutOfRange: more than the limits.  Cancelled: `cancel` (may be null) became true.
// Others: the file's and the visitor's.
absl::StatusOr<TreeShape> ReadTree(const std::string& archive, const TreeLimits& limits,
                                   const std::atomic<bool>* cancel, TreeVisitor* visitor);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_TREE_ARCHIVE_H_
