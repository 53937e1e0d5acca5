#include "db/embedded/spawn.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "proto/wire/status.h"

namespace shakedown::embedded {
namespace {

// What the child could not do, sent through a pipe that exec closes.
struct Failure {
  int step = 0;  // Index into kSteps.
  int error = 0;
};
constexpr const char* kSteps[] = {"fork for ", "become the user of ", "open the output of ",
                                  "start "};

[[noreturn]] void Fail(int pipe_end, int step) {
  const Failure failure{step, errno};
  [[maybe_unused]] const ssize_t ignored = write(pipe_end, &failure, sizeof failure);
  _exit(127);
}

bool Become(const Account& account) {
  if (geteuid() != 0) return true;
  return setgroups(0, nullptr) == 0 &&
         setresgid(account.group, account.group, account.group) == 0 &&
         setresuid(account.user, account.user, account.user) == 0;
}

// In the child: only async-signal-safe calls.
[[noreturn]] void Run(const Daemon& daemon, char* const* argv, int pipe_end, pid_t parent) {
  setsid();
  if (!daemon.die_with_thread) {
    const pid_t again = fork();
    if (again < 0) Fail(pipe_end, 0);
    if (again > 0) _exit(0);
  }
  if (!Become(daemon.account)) Fail(pipe_end, 1);
  if (daemon.die_with_thread) {
    // After setresuid, which clears it. The parent may be gone already.
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent) _exit(127);
  }
  umask(077);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = open(daemon.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (input < 0 || output < 0) Fail(pipe_end, 2);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) Fail(pipe_end, 2);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const char* environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent",
                               nullptr};
  execve(argv[0], argv, const_cast<char* const*>(environment));
  Fail(pipe_end, 3);
}

}  // namespace

absl::Status SpawnDaemon(const Daemon& daemon) {
  std::vector<char*> argv;
  for (const std::string& word : daemon.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // A daemon must not hold the caller's files; those without CLOEXEC would stay open in it.
    for (int fd = 3; fd < 1024; ++fd) {
      if (fd != ends[1]) close(fd);
    }
    Run(daemon, argv.data(), ends[1], parent);
  }
  const int fork_error = errno;
  close(ends[1]);
  Failure failure;
  const ssize_t got = child < 0 ? 0 : read(ends[0], &failure, sizeof failure);
  close(ends[0]);
  if (child < 0) return ErrnoStatus(fork_error, absl::StrCat("fork for ", daemon.argv[0]));
  const bool failed = got == sizeof failure;
  if (!daemon.die_with_thread || failed) waitpid(child, nullptr, 0);
  if (!failed) return absl::OkStatus();
  const std::string& object = failure.step == 2 ? daemon.output : daemon.argv[0];
  return ErrnoStatus(failure.error, absl::StrCat(kSteps[failure.step], object));
}

}  // namespace shakedown::embedded
