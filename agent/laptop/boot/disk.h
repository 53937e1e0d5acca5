// What a boot transaction does to file systems, one verb a step: a test can stop the machine
// between any two of them and take away what was not synced.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_DISK_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_DISK_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::laptop {

// Paths are absolute. Nothing is on the disk before the Sync… that is for it has returned OK. No
// verb follows a link in the last part of its path. Errors as ErrnoStatus, naming the path. One
// owner, not thread-safe. Reading needs no interface: proto/wire/files.h.
class Disk {
 public:
  virtual ~Disk() = default;

  virtual absl::Status MakeFolder(const std::string& path, mode_t mode) = 0;
  // Creates an empty file. AlreadyExists when there is anything of that name. `mode` whatever the
  // umask is, here and for folders.
  virtual absl::Status Create(const std::string& path, mode_t mode) = 0;
  virtual absl::Status Append(const std::string& path, absl::string_view bytes) = 0;
  // The first bytes of the file that is there, in place: the same inode, the same blocks, one
  // write.
  virtual absl::Status Overwrite(const std::string& path, absl::string_view bytes) = 0;
  virtual absl::Status Truncate(const std::string& path, uint64_t size) = 0;
  // A relative symbolic link.
  virtual absl::Status Link(const std::string& target, const std::string& path) = 0;
  // Over what is there.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  // AlreadyExists when there is anything at `to`.
  virtual absl::Status RenameNew(const std::string& from, const std::string& to) = 0;
  virtual absl::Status Remove(const std::string& path) = 0;        // Of a file or link.
  virtual absl::Status RemoveFolder(const std::string& path) = 0;  // Empty.
  // A variable of the firmware as a file of efivarfs: whole in one write, its guard against
  // accidents (the immutable flag) taken off before. Lasts without a sync.
  virtual absl::Status WriteVariable(const std::string& path, absl::string_view bytes) = 0;
  virtual absl::Status RemoveVariable(const std::string& path) = 0;

  virtual absl::Status Sync(const std::string& file) = 0;
  virtual absl::Status SyncFolder(const std::string& folder) = 0;
  // All of the file system that holds `path`.
  virtual absl::Status SyncAll(const std::string& path) = 0;

  struct Space {
    uint64_t free = 0;    // Bytes that root may still write.
    uint64_t device = 0;  // The same number: the same file system.
    bool read_only = false;
  };
  virtual absl::StatusOr<Space> SpaceAt(const std::string& path) = 0;
};

// The machine's own.
std::unique_ptr<Disk> MakeDisk();

// Creates beside `path`, syncs, renames over it, syncs the folder: the old or the new content
// stands after a power cut. A file ".shakedown-new" beside it is ours and replaced.
absl::Status ReplaceFile(Disk& disk, const std::string& path, absl::string_view content,
                         mode_t mode);

// `path` and all below it; what is not there: OK. Follows no link.
absl::Status RemoveTree(Disk& disk, const std::string& path);

// "/a" for "/a/b".
std::string FolderOf(const std::string& path);
bool Exists(const std::string& path);    // Anything of that name, also a dangling link.
bool IsFolder(const std::string& path);  // Not a link to one.

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_DISK_H_
