#include "agent/laptop/keeper/runner_view.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr unsigned long kHiddenFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
// Where the new /dev is put together. Below /run, which is memory.
constexpr char kStage[] = "/run/shakedown-dev";

absl::Status Mount(const char* source, const std::string& target, const char* type,
                   unsigned long flags, const char* data) {
  if (mount(source, target.c_str(), type, flags, data) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("mount ", target));
}

bool IsThere(const std::string& path, struct stat& about) {
  return stat(path.c_str(), &about) == 0;
}

// A name in the new /dev that is the old one's node or folder.
absl::Status Keep(const std::string& name) {
  struct stat about = {};
  const std::string from = "/dev/" + name, to = absl::StrCat(kStage, "/", name);
  if (!IsThere(from, about)) return absl::OkStatus();
  if (S_ISDIR(about.st_mode)) {
    if (mkdir(to.c_str(), 0755) != 0) return ErrnoStatus(errno, to);
  } else {
    const Descriptor file(open(to.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (file.get() < 0) return ErrnoStatus(errno, to);
  }
  return Mount(from.c_str(), to, nullptr, MS_BIND | MS_REC, nullptr);
}

absl::Status MakeDev() {
  if (mkdir(kStage, 0700) != 0 && errno != EEXIST) return ErrnoStatus(errno, kStage);
  RETURN_IF_ERROR(Mount("tmpfs", kStage, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=1m"));
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty", "cpu_dma_latency",
                           "rtc0", "pts", "shm", "mqueue", "hugepages"}) {
    RETURN_IF_ERROR(Keep(name));
  }
  const std::pair<const char*, const char*> links[] = {{"/proc/self/fd", "fd"},
                                                       {"/proc/self/fd/0", "stdin"},
                                                       {"/proc/self/fd/1", "stdout"},
                                                       {"/proc/self/fd/2", "stderr"},
                                                       {"pts/ptmx", "ptmx"}};
  for (const auto& [target, name] : links) {
    const std::string path = absl::StrCat(kStage, "/", name);
    if (symlink(target, path.c_str()) != 0) return ErrnoStatus(errno, path);
  }
  return Mount(kStage, "/dev", nullptr, MS_MOVE, nullptr);
}

}  // namespace

absl::Status EnterRunnerView(const std::vector<std::string>& hidden) {
  if (unshare(CLONE_NEWNS) != 0) return ErrnoStatus(errno, "mount namespace of the runner");
  // Nothing of this reaches the machine's own mounts.
  RETURN_IF_ERROR(Mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  for (const std::string& folder : hidden) {
    struct stat about = {};
    if (!IsThere(folder, about) || !S_ISDIR(about.st_mode)) continue;
    RETURN_IF_ERROR(Mount("tmpfs", folder, "tmpfs", kHiddenFlags, "mode=0755,size=4k"));
  }
  RETURN_IF_ERROR(MakeDev());
  for (const int capability : {CAP_MKNOD, CAP_SYS_MODULE, CAP_SYS_BOOT, CAP_SYS_RAWIO}) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      return ErrnoStatus(errno, absl::StrCat("capability ", capability, " of the runner"));
    }
  }
  return absl::OkStatus();
}

}  // namespace shakedown::laptop
