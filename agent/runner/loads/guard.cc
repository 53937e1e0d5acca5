#include "agent/runner/loads/guard.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "agent/runner/loads/process_tree.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {
namespace {

constexpr absl::Duration kEndLimit = absl::Seconds(20);

volatile pid_t guarded_worker = 0;

// Our parent has died: the wait for the worker then returns.
void EndWorker(int) {
  const int kept = errno;
  if (guarded_worker > 0) kill(guarded_worker, SIGKILL);
  errno = kept;
}

// The signals of a terminal are for the runner, which then ends us.
void IgnoreInterrupts() {
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(s, SIG_IGN);
}

[[noreturn]] void EndAs(int status) {
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

[[noreturn]] void Guard(pid_t runner, const std::function<void()>& work,
                        const std::function<void()>& clean_up) {
  setsid();  // Who kills the runner's process group does not kill us.
  IgnoreInterrupts();
  AdoptOrphans().IgnoreError();
  sigset_t death, before;
  sigemptyset(&death);
  sigaddset(&death, SIGUSR1);
  sigprocmask(SIG_BLOCK, &death, &before);
  signal(SIGUSR1, EndWorker);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  const pid_t worker = fork();
  if (worker == 0) {
    signal(SIGUSR1, SIG_DFL);
    for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(s, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    work();
    _exit(1);
  }
  guarded_worker = worker;
  sigprocmask(SIG_UNBLOCK, &death, nullptr);
  if (getppid() != runner) EndWorker(SIGUSR1);  // It died before we asked to be told.
  int status = 1 << 8;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  guarded_worker = 0;
  if (getppid() != runner) {
    EndDescendants(kEndLimit, SystemClock()).IgnoreError();
    clean_up();
    _exit(1);
  }
  EndAs(status);
}

}  // namespace

pid_t ForkGuarded(const std::function<void()>& work, const std::function<void()>& clean_up) {
  const pid_t runner = getpid();
  const pid_t guard = fork();
  if (guard == 0) Guard(runner, work, clean_up);
  return guard;
}

}  // namespace shakedown::runner
