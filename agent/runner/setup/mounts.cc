#include "agent/runner/setup/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "agent/runner/setup/say.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

struct Mount {
  const char* type;
  const char* target;
  unsigned long flags;
  const char* options;
};

void Do(const Mount& m) {
  mkdir(m.target, 0755);
  if (mount(m.type, m.target, m.type, m.flags, m.options) == 0 || errno == EBUSY) return;
  Say(ErrnoStatus(errno, absl::StrCat("mount ", m.type, " on ", m.target)).message());
}

void OpenConsole() {
  const int console = open("/dev/console", O_RDWR | O_NOCTTY);
  if (console < 0) return;
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fd != console && fcntl(fd, F_GETFD) < 0) dup2(console, fd);
  }
  if (console > STDERR_FILENO) close(console);
}

}  // namespace

void MountKernelFilesystems() {
  Do({"devtmpfs", "/dev", MS_NOSUID, "mode=0755"});
  OpenConsole();
  Do({"proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr});
  Do({"sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr});
}

void MountSystem() {
  if (mount(nullptr, "/", nullptr, MS_REMOUNT, nullptr) != 0) {
    Say(ErrnoStatus(errno, "remount / writable").message());
  }
  Do({"tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755"});
  Do({"tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777"});
  Do({"tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777"});
  Do({"devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666"});
  Do({"debugfs", "/sys/kernel/debug", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr});
  Do({"cgroup2", "/sys/fs/cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr});
}

}  // namespace shakedown::runner
