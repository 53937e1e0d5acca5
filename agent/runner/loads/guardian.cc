#include "agent/runner/loads/guardian.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "agent/runner/loads/process_tree.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {
namespace {

constexpr absl::Duration kEndLimit = absl::Seconds(20);
constexpr int kParentDied = SIGUSR1;

[[noreturn]] void EndAs(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  const rlimit none = {0, 0};  // The load has left its core, if any.
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  kill(getpid(), WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

// Reaps what has ended; ends this process once the load is among it.
void Reap(pid_t load) {
  int status = 0;
  pid_t reaped;
  while ((reaped = waitpid(-1, &status, WNOHANG)) > 0 || (reaped < 0 && errno == EINTR)) {
    if (reaped == load) EndAs(status);
  }
}

[[noreturn]] void Guard(pid_t load, const sigset_t& signals,
                        const std::function<void()>& remove_files) {
  for (;;) {
    Reap(load);
    const int signal_number = sigwaitinfo(&signals, nullptr);
    if (signal_number == SIGINT) kill(load, SIGINT);
    if (signal_number == kParentDied) break;
  }
  EndDescendants(kEndLimit, SystemClock()).IgnoreError();  // Nobody is left to be told.
  remove_files();
  _exit(1);
}

}  // namespace

void ContinueUnderGuard(pid_t parent, int fd, const std::function<void()>& remove_files) {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (int s : {SIGCHLD, SIGINT, kParentDied}) sigaddset(&signals, s);
  sigprocmask(SIG_BLOCK, &signals, &before);
  setpgid(0, 0);                 // A ^C at the terminal is told by the runner, once.
  AdoptOrphans().IgnoreError();  // Refused by no kernel since 3.4.
  prctl(PR_SET_PDEATHSIG, kParentDied);
  if (getppid() != parent) {  // Died before it was watched.
    remove_files();
    _exit(1);
  }
  const pid_t guardian = getpid();
  const pid_t load = fork();
  if (load != 0) {
    close(fd);
    if (load > 0) Guard(load, signals, remove_files);
    _exit(1);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(1);
}

}  // namespace shakedown::runner
