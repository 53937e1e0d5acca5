// For tests: a disk that a power cut takes back to what was synced, after any number of steps.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_CRASH_DISK_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_CRASH_DISK_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "agent/laptop/boot/disk.h"

namespace shakedown::laptop {

// What a power cut leaves of writes that were not synced.
enum class Loss {
  kNothing,  // All survive: also what the end of the process alone leaves.
  kAll,      // None does.
  kMixed,    // Of each folder and of each file by a throw of the dice.
};

// The tree below `root` as a disk: real files on a tmpfs (whose inode numbers are never used
// again), and beside them what of files and folders was synced; boot/ is a file system of its own.
// Writes what it is told at once, syncs only in its model.
class CrashDisk : public Disk {
 public:
  // `step` is told before each change; true: stop here, in the middle of it. `stop` is called then,
  // with what is there as after half of the write, and does not return.
  CrashDisk(std::string root, std::function<bool()> step, std::function<void()> stop);

  // Makes the tree what a power cut leaves.
  void CutPower(Loss loss, uint32_t seed);

  std::function<absl::StatusOr<Space>(const std::string&)> space;

  absl::Status MakeFolder(const std::string& path, mode_t mode) override;
  absl::Status Create(const std::string& path, mode_t mode) override;
  absl::Status Append(const std::string& path, absl::string_view bytes) override;
  absl::Status Overwrite(const std::string& path, absl::string_view bytes) override;
  absl::Status Truncate(const std::string& path, uint64_t size) override;
  absl::Status Link(const std::string& target, const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status RenameNew(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status RemoveFolder(const std::string& path) override;
  absl::Status WriteVariable(const std::string& path, absl::string_view bytes) override;
  absl::Status RemoveVariable(const std::string& path) override;
  absl::Status Sync(const std::string& file) override;
  absl::Status SyncFolder(const std::string& folder) override;
  absl::Status SyncAll(const std::string& path) override;
  absl::StatusOr<Space> SpaceAt(const std::string& path) override;

 private:
  struct Entry {
    ino_t inode = 0;
    mode_t mode = 0;
    std::string target;  // Of a link.
  };
  using Folder = std::map<std::string, Entry>;
  struct Tree {
    std::map<ino_t, Folder> folders;
    std::map<ino_t, std::string> files;
  };

  void Step();
  static Folder List(const std::string& path);
  static void Scan(const std::string& path, Tree* tree);
  Tree Mix(const Tree& now, Loss loss, uint32_t seed) const;
  static void Write(const Tree& tree, ino_t folder, const std::string& path);

  const std::string root_;
  const std::unique_ptr<Disk> disk_ = MakeDisk();
  const std::function<bool()> step_;
  const std::function<void()> stop_;
  Tree synced_;
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_CRASH_DISK_H_
