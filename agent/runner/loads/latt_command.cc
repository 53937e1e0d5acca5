#include "agent/runner/loads/latt_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/parallel_command.h"
#include "agent/runner/loads/process_tree.h"
#include "proto/wire/clock.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

// What crosses the pipe: this, then `message_size` bytes of the error's message.
struct Header {
  LattCommandReport report;
  int32_t code = 0;
  uint32_t message_size = 0;
};
constexpr size_t kLongestMessage = 2000;  // Far below a pipe's room: the writer never waits.

std::atomic<bool> interrupted = false;

// Survives the signal that is meant for the command, and does not run it again.
void ExpectInterrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
}

absl::Status Repeat(const LattCommand& latt, LattCommandReport& report) {
  Clock& clock = SystemClock();
  const absl::Duration until = clock.Elapsed() + latt.repeat_for;
  do {
    if (latt.build) RETURN_IF_ERROR(RemoveObjects(*latt.build));
    ASSIGN_OR_RETURN(const ParallelTimes parallel,
                     TimeParallel(latt.command, latt.copies, latt.any_status));
    const CommandTimes times = parallel.Whole();
    report.exit_code = times.exit_code;
    if (latt.build) {
      ASSIGN_OR_RETURN(const size_t objects, CountObjects(*latt.build));
      if (objects == 0) {
        return absl::InternalError(absl::StrCat("make: no object in ", latt.build->tree,
                                                " after the build: nothing was compiled"));
      }
    }
    ++report.runs;
    report.real_s += times.real_s;
    report.user_s += times.user_s;
    report.system_s += times.system_s;
  } while (clock.Elapsed() < until && report.exit_code == 0 && !interrupted);
  return absl::OkStatus();
}

[[noreturn]] void RunInChild(const LattCommand& latt, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ExpectInterrupts();
  Header header;
  const absl::Status status = Repeat(latt, header.report);
  const absl::string_view message = status.message().substr(0, kLongestMessage);
  header.code = static_cast<int32_t>(status.code());
  header.message_size = static_cast<uint32_t>(message.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  absl::StrAppend(&bytes, message);
  const ssize_t wrote = write(fd, bytes.data(), bytes.size());
  _exit(wrote == static_cast<ssize_t>(bytes.size()) ? 0 : 1);
}

}  // namespace

LattCommandProcess::~LattCommandProcess() {
  if (report_ >= 0) close(report_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

absl::Status LattCommandProcess::Start(const LattCommand& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  pid_ = fork();
  if (pid_ == 0) RunInChild(command, ends[1]);
  const int error = errno;
  close(ends[1]);
  report_ = ends[0];
  return pid_ > 0 ? absl::OkStatus() : ErrnoStatus(error, "fork for the command");
}

void LattCommandProcess::Interrupt() {
  if (pid_ <= 0) return;
  kill(pid_, SIGINT);
  for (const pid_t pid : DescendantsOf(pid_)) kill(pid, SIGINT);
}

bool LattCommandProcess::HasEnded() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ <= 0;
}

absl::StatusOr<LattCommandReport> LattCommandProcess::Report() {
  std::string bytes;
  char piece[4096];
  for (ssize_t got; (got = read(report_, piece, sizeof piece)) != 0;) {
    if (got < 0 && errno != EINTR) return ErrnoStatus(errno, "report of the command");
    if (got > 0) bytes.append(piece, static_cast<size_t>(got));
  }
  Header header;
  if (bytes.size() < sizeof header) {
    return absl::UnavailableError("the process that runs the command was ended from outside");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.code != 0) {
    return absl::Status(static_cast<absl::StatusCode>(header.code), bytes.substr(sizeof header));
  }
  return header.report;
}

}  // namespace shakedown::runner
