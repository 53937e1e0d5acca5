#include "agent/runner/setup/undo_guardian.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/numbers.h"
#include "agent/runner/setup/say.h"
#include "agent/runner/setup/undo_journal.h"
#include "proto/wire/clock.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr int kParentDied = SIGUSR1;
// For loads and other children that die with their parent and have its descriptors until then.
constexpr absl::Duration kLockLimit = absl::Seconds(30);

// Above all the one that locks the journal: held here, nobody else could take it.
void CloseInherited() {
  std::vector<int> open;
  DIR* entries = opendir("/proc/self/fd");
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    int fd = 0;
    if (absl::SimpleAtoi(entry->d_name, &fd) && fd > STDERR_FILENO && fd != dirfd(entries)) {
      open.push_back(fd);
    }
  }
  closedir(entries);
  for (const int fd : open) close(fd);
}

[[noreturn]] void Guard(pid_t parent, const std::string& root) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);  // What ends the parent must not end this one first.
  setsid();
  CloseInherited();
  prctl(PR_SET_PDEATHSIG, kParentDied);
  while (getppid() == parent) {
    if (sigwaitinfo(&all, nullptr) == kParentDied) break;
  }
  sigset_t children;  // Services are started by programs of ours, which must be able to end.
  sigemptyset(&children);
  sigprocmask(SIG_SETMASK, &children, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const absl::Status undone = UndoLeftovers(root, kLockLimit, SystemClock());
  if (!undone.ok()) Say(undone.message());
  _exit(undone.ok() ? 0 : 1);
}

}  // namespace

absl::StatusOr<pid_t> StartUndoGuardian(const std::string& root) {
  const pid_t parent = getpid();
  const pid_t guardian = fork();
  if (guardian < 0) return ErrnoStatus(errno, "fork of the undo guardian");
  if (guardian == 0) Guard(parent, root);
  return guardian;
}

void EndUndoGuardian(pid_t guardian) {
  kill(guardian, SIGKILL);
  while (waitpid(guardian, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace shakedown::runner
