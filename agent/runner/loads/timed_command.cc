#include "agent/runner/loads/timed_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

const std::string& PathVariable() {
  static const std::string path = absl::StrCat("PATH=", kCommandPath);
  return path;
}

// TMPDIR's default /tmp is memory in the guest: as on most desktops.
std::vector<const char*> Environment() {
  return {PathVariable().c_str(), "LC_ALL=C", "HOME=/root", "CCACHE_DISABLE=1", nullptr};
}

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// In the child: only async-signal-safe calls.
[[noreturn]] void Exec(const TimedCommand& command, const char* program, char* const* argv,
                       const char* const* environment, int output, int error_fd) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool good = dup2(null, STDIN_FILENO) >= 0;
  if (good && output >= 0)
    good = dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;
  if (good && !command.folder.empty()) good = chdir(command.folder.c_str()) == 0;
  if (good && command.own_environment) execvpe(argv[0], argv, environ);
  if (good && !command.own_environment) {
    execve(program, argv, const_cast<char* const*>(environment));
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(error_fd, &error, sizeof error);
  _exit(127);
}

std::string Tail(int fd, size_t keep) {
  const off_t size = lseek(fd, 0, SEEK_END);
  if (size <= 0) return "";
  std::string text(static_cast<size_t>(std::min(size, static_cast<off_t>(keep))), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

}  // namespace

absl::StatusOr<CommandTimes> TimeCommand(const TimedCommand& command) {
  if (command.argv.empty()) return absl::InvalidArgumentError("command is empty");
  std::vector<char*> argv;
  for (const std::string& word : command.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::vector<const char*> environment = Environment();
  const bool search = !command.own_environment && !absl::StrContains(command.argv[0], '/');
  const std::string program = search ? FindProgram(command.argv[0]) : command.argv[0];
  if (program.empty()) return ErrnoStatus(ENOENT, absl::StrCat("start ", command.argv[0]));
  // In memory and without a reader, so that writing it wakes nobody.
  Descriptor output(command.share_output ? -1 : memfd_create("output", MFD_CLOEXEC));
  if (output.get() >= 0) fcntl(output.get(), F_SETFL, O_APPEND);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  Descriptor error_read(ends[0]), error_write(ends[1]);

  const double start = Now();
  const pid_t pid = fork();
  if (pid < 0) return ErrnoStatus(errno, absl::StrCat("fork for ", command.argv[0]));
  if (pid == 0)
    Exec(command, program.c_str(), argv.data(), environment.data(), output.get(),
         error_write.get());
  setpgid(pid, pid);
  error_write.Close();
  int exec_error = 0;
  const bool failed = read(error_read.get(), &exec_error, sizeof exec_error) == sizeof exec_error;
  int status = 0;
  rusage usage = {};
  while (wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) return ErrnoStatus(errno, absl::StrCat("wait for ", command.argv[0]));
  }
  const double end = Now();
  kill(-pid, SIGKILL);
  if (failed) return ErrnoStatus(exec_error, absl::StrCat("start ", command.argv[0]));

  CommandTimes times;
  times.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  times.real_s = end - start;
  times.user_s = Seconds(usage.ru_utime);
  times.system_s = Seconds(usage.ru_stime);
  times.major_faults = static_cast<uint64_t>(usage.ru_majflt);
  times.voluntary_switches = static_cast<uint64_t>(usage.ru_nvcsw);
  times.involuntary_switches = static_cast<uint64_t>(usage.ru_nivcsw);
  if (output.get() >= 0) times.output = Tail(output.get(), command.keep);
  return times;
}

std::string FindProgram(absl::string_view name) {
  if (absl::StrContains(name, '/'))
    return access(std::string(name).c_str(), X_OK) == 0 ? std::string(name) : "";
  for (absl::string_view folder : absl::StrSplit(kCommandPath, ':')) {
    std::string file = absl::StrCat(folder, "/", name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

absl::Status CommandStatus(const TimedCommand& command, const CommandTimes& times) {
  if (times.exit_code == 0) return absl::OkStatus();
  std::vector<std::string> lines =
      absl::StrSplit(absl::StripTrailingAsciiWhitespace(times.output), '\n');
  std::string message = absl::StrCat(command.argv[0], ": exit code ", times.exit_code, ", want 0");
  for (size_t i = lines.size() > 4 ? lines.size() - 4 : 0; i < lines.size(); ++i) {
    if (!lines[i].empty()) absl::StrAppend(&message, " | ", lines[i].substr(0, 300));
  }
  return absl::InternalError(message);
}

std::string ClassicTimes(const CommandTimes& times) {
  std::string text = "\n";
  for (const auto& [name, seconds] :
       {std::pair("real", times.real_s), {"user", times.user_s}, {"sys", times.system_s}}) {
    const double minutes = std::floor(seconds / 60);
    absl::StrAppendFormat(&text, "%s\t%.0fm%.3fs\n", name, minutes, seconds - 60 * minutes);
  }
  return text;
}

}  // namespace shakedown::runner
