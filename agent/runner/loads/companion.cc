#include "agent/runner/loads/companion.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr size_t kLongestMessage = 2000;  // Far below a pipe's room: the writer never waits.

[[noreturn]] void RunInChild(const CompanionPlan& plan, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (plan.own_session) setsid();
  absl::Status status;
  if (plan.nice != 0 && setpriority(PRIO_PROCESS, 0, plan.nice) != 0) {
    status = ErrnoStatus(errno, absl::StrCat("nice ", plan.nice));
  }
  if (status.ok()) status = plan.body();
  const absl::string_view message =
      status.ok() ? "it was done" : status.message().substr(0, kLongestMessage);
  const ssize_t wrote = write(report, message.data(), message.size());
  _exit(wrote >= 0 && status.ok() ? 0 : 1);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Companion>> Companion::Start(const CompanionPlan& plan) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  Descriptor read_end(ends[0]), write_end(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return ErrnoStatus(errno, absl::StrCat("fork for ", plan.name));
  if (pid == 0) {
    read_end.Close();
    RunInChild(plan, write_end.get());
  }
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Companion>(new Companion(plan.name, pid, std::move(read_end)));
}

Companion::~Companion() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

absl::Status Companion::CheckAlive() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return ended_;
  pid_ = -1;
  char message[kLongestMessage];
  const ssize_t got = read(report_.get(), message, sizeof message);
  const std::string why =
      got > 0 ? std::string(message, static_cast<size_t>(got))
              : absl::StrCat(WIFSIGNALED(status) ? "ended by signal " : "exit code ",
                             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  ended_ = absl::UnavailableError(
      absl::StrCat(name_, " has ended, want it alive until the load is done: ", why));
  return ended_;
}

}  // namespace shakedown::runner
