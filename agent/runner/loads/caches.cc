#include "agent/runner/loads/caches.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/socket.h>
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

absl::StatusOr<Descriptor> StartCacheDropper(const std::string& control) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoStatus(errno, "socket of the cache dropper");
  }
  Descriptor theirs(ends[0]), its(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return ErrnoStatus(errno, "fork for the cache dropper");
  if (pid > 0) return theirs;
  theirs.Close();
  char asked;
  while (read(its.get(), &asked, 1) == 1) {
    // Empty messages are ends of files: the answer begins with a mark.
    const absl::Status dropped = DropCaches(control);
    const std::string answer = absl::StrCat(dropped.ok() ? "+" : "-", dropped.message());
    if (write(its.get(), answer.data(), answer.size()) < 0) break;
  }
  _exit(0);
}

absl::Status DropCachesBy(const Descriptor& dropper) {
  char answer[256];
  if (write(dropper.get(), "d", 1) != 1) return ErrnoStatus(errno, "drop caches");
  const ssize_t got = read(dropper.get(), answer, sizeof answer);
  if (got < 0) return ErrnoStatus(errno, "drop caches");
  if (got == 0) return absl::UnavailableError("drop caches: who does it has ended");
  if (answer[0] == '+') return absl::OkStatus();
  return absl::PermissionDeniedError(absl::string_view(answer + 1, static_cast<size_t>(got) - 1));
}

absl::Status CheckOnDisk(const std::string& folder) {
  struct statfs found;
  if (statfs(folder.c_str(), &found) != 0) return ErrnoStatus(errno, folder);
  if (found.f_type != TMPFS_MAGIC && found.f_type != RAMFS_MAGIC) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      folder, ": is in memory, want a folder on a disk: files in memory are never cold"));
}

}  // namespace shakedown::runner
