// Which file system a path is on, and what is below that: from /proc/self/mountinfo and sysfs.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_MOUNTS_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_MOUNTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::laptop {

struct Mount {
  std::string device;       // "8:2".
  std::string inside;       // What of the file system is mounted: "/", "/@boot".
  std::string point;        // "/boot".
  std::string file_system;  // "ext4".
  std::string source;       // "/dev/sda2".
  bool read_only = false;   // The mount or the file system.
};

// Lines as proc(5) has them; \040 and its like are taken back. A line of another form is left out.
std::vector<Mount> ParseMounts(absl::string_view mountinfo);

// The mount that holds `path` ("/boot/grub", absolute, without links): the longest point, of equal
// ones the last. NotFound.
absl::StatusOr<Mount> MountOf(const std::vector<Mount>& mounts, absl::string_view path);

// The mounts of `root`/proc/self/mountinfo.
absl::StatusOr<std::vector<Mount>> ReadMounts(const std::string& root);

// Where the file system has `path`: "/grub/x" for "/boot/grub/x" on a /boot of its own.
std::string PathInside(const Mount& mount, absl::string_view path);

// Why GRUB can not write to what is mounted there, e.g. "btrfs: GRUB does not write to it"; empty:
// it can. It writes to whole blocks of a plain file on a disk or partition, and to nothing that is
// put together from several (LVM, MD, LUKS) or that checks or moves its blocks.
std::string WhyGrubCanNotWrite(const std::string& root, const Mount& mount);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_MOUNTS_H_
