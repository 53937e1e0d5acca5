#include "agent/runner/loads/program_start.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/timed_command.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr int kLimitMs = 60000;

int64_t NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

// What posix_spawn is told, freed with its owner.
class SpawnPlan {
 public:
  explicit SpawnPlan(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes_);
    sigset_t none, pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &pipe);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Waits for the end; after a minute the group is killed. The wait status, or -1.
int WaitForEnd(pid_t pid) {
  int status = 0;
  for (int64_t until = NowNs() + int64_t{kLimitMs} * 1000000; NowNs() < until;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      kill(-pid, SIGKILL);  // What it left behind.
      return status;
    }
    poll(nullptr, 0, 1);
  }
  kill(-pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

}  // namespace

int SayOneByte() { return write(STDOUT_FILENO, ".", 1) == 1 ? 0 : 1; }

absl::StatusOr<int64_t> TimeToFirstByte(const std::vector<std::string>& argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  Descriptor read_end(ends[0]), write_end(ends[1]);
  const SpawnPlan plan(write_end.get());
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string path = absl::StrCat("PATH=", kCommandPath);
  const char* const environment[] = {path.c_str(), "LC_ALL=C", "HOME=/root", nullptr};

  const int64_t start = NowNs();
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0].c_str(), plan.actions(), plan.attributes(),
                                words.data(), const_cast<char* const*>(environment));
  if (error != 0) return ErrnoStatus(error, absl::StrCat("start ", argv[0]));
  write_end.Close();
  char byte;
  pollfd ready = {read_end.get(), POLLIN, 0};
  while (poll(&ready, 1, kLimitMs) < 0 && errno == EINTR) {
  }
  const bool spoke = (ready.revents & POLLIN) != 0 && read(read_end.get(), &byte, 1) == 1;
  const int64_t took = NowNs() - start;
  read_end.Close();
  if (!spoke && ready.revents == 0) kill(-pid, SIGKILL);
  const int status = WaitForEnd(pid);

  if (!spoke && ready.revents == 0) {
    return absl::DeadlineExceededError(
        absl::StrCat(argv[0], ": no byte on its output within ", kLimitMs / 1000, " s"));
  }
  if (status == -1) {
    return absl::DeadlineExceededError(absl::StrCat(argv[0], ": has not ended ", kLimitMs / 1000,
                                                    " s after its first byte, want it to end"));
  }
  const bool good = (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
                    (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
  if (spoke && good) return took;
  return absl::InternalError(
      absl::StrCat(argv[0], spoke ? "" : ": wrote nothing", ": ",
                   WIFSIGNALED(status) ? "ended by signal " : "exit code ",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                   ", want a byte on its output and exit code 0"));
}

}  // namespace shakedown::runner
