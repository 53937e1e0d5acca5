#include "proto/wire/subprocess.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/clock.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

constexpr absl::Duration kGrace = absl::Seconds(2);
constexpr int kPollMs = 100;  // How soon cancel and limit are seen.
constexpr int kReapMs = 2;    // Once the output is closed the end is near.

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void CloseRead() {
    if (read_end >= 0) close(read_end);
    read_end = -1;
  }
  void CloseWrite() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child, between fork and exec: only async-signal-safe calls. Reports errno through
// `error_fd`.
[[noreturn]] void Exec(const Command& command, char* const* argv, char* const* environment,
                       int input, int output, int error_fd) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  bool good = dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0;
  if (good && command.group) {
    good = setgroups(0, nullptr) == 0 &&
           setresgid(*command.group, *command.group, *command.group) == 0;
  }
  if (good && command.user) {
    good = setresuid(*command.user, *command.user, *command.user) == 0;
  }
  if (good && !command.folder.empty()) good = chdir(command.folder.c_str()) == 0;
  if (good) execvpe(argv[0], argv, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(error_fd, &error, sizeof error);
  _exit(127);
}

class Child {
 public:
  Child(const Command& command, Clock& clock) : command_(command), clock_(clock) {}

  absl::Status Start() {
    if (command_.argv.empty()) return absl::InvalidArgumentError("command is empty");
    Pipe error;
    if (!input_.Open() || !output_.Open() || !error.Open()) return ErrnoStatus(errno, "pipe");
    const std::vector<char*> argv = Pointers(command_.argv);
    const std::vector<char*> environment = Pointers(command_.environment);
    pid_ = fork();
    if (pid_ < 0) return ErrnoStatus(errno, absl::StrCat("fork for ", command_.argv[0]));
    if (pid_ == 0) {
      Exec(command_, argv.data(), environment.data(), input_.read_end, output_.write_end,
           error.write_end);
    }
    setpgid(pid_, pid_);
    input_.CloseRead();
    output_.CloseWrite();
    error.CloseWrite();
    int exec_error = 0;
    if (read(error.read_end, &exec_error, sizeof exec_error) == sizeof exec_error) {
      waitpid(pid_, nullptr, 0);
      return ErrnoStatus(exec_error, absl::StrCat("start ", command_.argv[0]));
    }
    if (command_.input.empty()) input_.CloseWrite();
    fcntl(input_.write_end, F_SETFL, O_NONBLOCK);
    return absl::OkStatus();
  }

  CommandResult Wait() {
    const absl::Duration started = clock_.Elapsed();
    bool ended = false;
    int status = 0;
    // The leader's end is the command's end: what it left in its group is ended too, so that
    // nobody holding the pipe can keep us here.
    while (!ended) {
      Transfer(output_.read_end >= 0 ? kPollMs : kReapMs);
      ended = waitpid(pid_, &status, WNOHANG) == pid_;
      if (!ended) Bound(clock_.Elapsed() - started);
    }
    kill(-pid_, SIGKILL);
    while (output_.read_end >= 0 && Transfer(0)) {
    }
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return std::move(result_);
  }

 private:
  void Bound(absl::Duration elapsed) {
    if (ending_since_ == absl::InfiniteDuration()) {
      result_.cancelled = command_.cancel != nullptr && command_.cancel->load();
      result_.timed_out = !result_.cancelled && elapsed > command_.limit;
      if (!result_.cancelled && !result_.timed_out) return;
      ending_since_ = elapsed;
      kill(-pid_, SIGTERM);
    } else if (elapsed - ending_since_ > kGrace) {
      kill(-pid_, SIGKILL);
    }
  }

  // Moves what can be moved within `wait_ms`. True when bytes came.
  bool Transfer(int wait_ms) {
    pollfd fds[2] = {{output_.read_end, POLLIN, 0}, {input_.write_end, POLLOUT, 0}};
    if (poll(fds, 2, wait_ms) <= 0) return false;
    if (fds[1].revents != 0) Feed();
    return fds[0].revents != 0 && Drain();
  }

  void Feed() {
    const size_t left = command_.input.size() - fed_;
    const ssize_t wrote = write(input_.write_end, command_.input.data() + fed_, left);
    if (wrote > 0) fed_ += static_cast<size_t>(wrote);
    if ((wrote < 0 && errno != EAGAIN) || fed_ == command_.input.size()) input_.CloseWrite();
  }

  bool Drain() {
    char buffer[1 << 14];
    const ssize_t got = read(output_.read_end, buffer, sizeof buffer);
    if (got <= 0) {
      if (got == 0 || errno != EINTR) output_.CloseRead();
      return false;
    }
    const absl::string_view piece(buffer, static_cast<size_t>(got));
    if (command_.output) command_.output(piece);
    result_.output.append(piece.data(), piece.size());
    if (result_.output.size() > 2 * command_.keep) TrimOutput();
    return true;
  }

  void TrimOutput() { result_.output.erase(0, result_.output.size() - command_.keep); }

  const Command& command_;
  Clock& clock_;
  Pipe input_, output_;
  pid_t pid_ = -1;
  size_t fed_ = 0;
  absl::Duration ending_since_ = absl::InfiniteDuration();
  CommandResult result_;
};

std::string LastLines(absl::string_view output) {
  while (!output.empty() && output.back() == '\n') output.remove_suffix(1);
  const std::vector<absl::string_view> lines = absl::StrSplit(output, '\n');
  std::string text;
  for (size_t i = lines.size() > 3 ? lines.size() - 3 : 0; i < lines.size(); ++i) {
    absl::StrAppend(&text, text.empty() ? "" : " | ", lines[i]);
  }
  return text;
}

}  // namespace

absl::StatusOr<CommandResult> RunCommand(const Command& command) {
  Child child(command, SystemClock());
  RETURN_IF_ERROR(child.Start());
  CommandResult result = child.Wait();
  if (result.output.size() > command.keep) {
    result.output.erase(0, result.output.size() - command.keep);
  }
  return result;
}

absl::StatusOr<std::string> RunForOutput(const Command& command) {
  ASSIGN_OR_RETURN(CommandResult result, RunCommand(command));
  const std::string& program = command.argv[0];
  if (result.cancelled) return absl::CancelledError(absl::StrCat(program, ": cancelled"));
  if (result.timed_out) {
    return absl::DeadlineExceededError(
        absl::StrCat(program, ": not done within ", absl::FormatDuration(command.limit)));
  }
  if (result.exit_code != 0) {
    return absl::InternalError(
        absl::StrCat(program, ": exit code ", result.exit_code, ": ", LastLines(result.output)));
  }
  return std::move(result.output);
}

}  // namespace shakedown
