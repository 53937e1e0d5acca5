#include "agent/runner/loads/caches.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::runner {

absl::Status DropCaches(const std::string& control) {
  sync();  // Dirty pages can not be dropped.
  const Descriptor file(open(control.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrnoStatus(errno, absl::StrCat("drop caches: ", control));
  if (write(file.get(), "3\n", 2) != 2) {
    return ErrnoStatus(errno, absl::StrCat("drop caches: ", control));
  }
  return absl::OkStatus();
}

absl::Status CheckOnDisk(const std::string& folder) {
  struct statfs found;
  if (statfs(folder.c_str(), &found) != 0) return ErrnoStatus(errno, folder);
  if (found.f_type != TMPFS_MAGIC && found.f_type != RAMFS_MAGIC) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      folder, ": is in memory, want a folder on a disk: files in memory are never cold"));
}

}  // namespace shakedown::runner
