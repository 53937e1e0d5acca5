#include "agent/runner/setup/sched_ext.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/runner/setup/kernel_file.h"
#include "agent/runner/setup/undo_journal.h"
#include "agent/runner/telemetry/task_stat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr absl::Duration kLimit = absl::Seconds(30);
constexpr char kFolder[] = "/sys/kernel/sched_ext";

struct Child {
  pid_t pid = -1;
  int go = -1;      // A byte, and it executes the program; closed without one, it ends.
  int answer = -1;  // errno of exec; end of file when that worked.
  int output = -1;  // What it says, a file without a name.
};

void CloseAll(const Child& child) {
  for (const int fd : {child.go, child.answer, child.output}) {
    if (fd >= 0) close(fd);
  }
}

[[noreturn]] void BecomeProgram(const std::vector<char*>& argv, int go, int answer, int output) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // Its scheduler goes with us.
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  char byte = 0;
  if (read(go, &byte, 1) != 1) _exit(0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(argv[0], argv.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(answer, &error, sizeof error);
  _exit(127);
}

absl::StatusOr<Child> Fork(const v1::SchedExt& wanted) {
  std::vector<std::string> words(wanted.command().begin(), wanted.command().end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Child child;
  int go[2], answer[2];
  child.output = memfd_create("sched_ext", MFD_CLOEXEC);
  if (child.output < 0) return ErrnoStatus(errno, "memfd");
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) {
    const int error = errno;
    CloseAll(child);
    return ErrnoStatus(error, "pipe");
  }
  child.pid = fork();
  if (child.pid == 0) {
    close(go[1]);
    close(answer[0]);
    BecomeProgram(argv, go[0], answer[1], child.output);
  }
  const int error = errno;
  close(go[0]);
  close(answer[1]);
  child.go = go[1];
  child.answer = answer[0];
  if (child.pid > 0) return child;
  CloseAll(child);
  return ErrnoStatus(error, "fork for the sched_ext program");
}

std::string LastWords(int output) {
  constexpr off_t kTail = 400;
  const off_t size = lseek(output, 0, SEEK_END);
  char tail[kTail];
  const ssize_t got = pread(output, tail, kTail, std::max<off_t>(0, size - kTail));
  if (got <= 0) return "it said nothing";
  return absl::StrCat("it said: ",
                      PrintableLine(absl::string_view(tail, static_cast<size_t>(got))));
}

absl::Status AwaitEnabled(const v1::SchedExt& wanted, const Child& child, const std::string& root,
                          Clock& clock) {
  const std::string folder = root + kFolder;
  const absl::Duration until = clock.Elapsed() + kLimit;
  std::string state, ops;
  for (;;) {
    state = ReadKernelFile(folder + "/state").value_or("unreadable");
    ops = ReadKernelFile(folder + "/root/ops").value_or("");
    if (state == "enabled" && (wanted.ops().empty() || ops == wanted.ops())) {
      return absl::OkStatus();
    }
    int status = 0;
    if (waitpid(child.pid, &status, WNOHANG) == child.pid) {
      return absl::AbortedError(
          absl::StrCat(wanted.command(0), " ended with ",
                       WIFSIGNALED(status) ? absl::StrCat("signal ", WTERMSIG(status))
                                           : absl::StrCat("code ", WEXITSTATUS(status)),
                       " before its scheduler was enabled; ", LastWords(child.output)));
    }
    if (clock.Elapsed() > until) break;
    clock.Sleep(absl::Milliseconds(20));
  }
  return absl::AbortedError(absl::StrCat(
      "not enabled within ", absl::FormatDuration(kLimit), ": state ", Quoted(state), ", ops ",
      Quoted(ops), wanted.ops().empty() ? "" : absl::StrCat(", want ops ", Quoted(wanted.ops())),
      "; ", LastWords(child.output)));
}

absl::Status Begin(const v1::SchedExt& wanted, const Child& child,
                   const std::function<absl::Status(SchedExtProgram)>& promise,
                   SchedExtProgram* program) {
  const std::optional<TaskStat> task = ReadTask(child.pid);
  if (!task) return absl::InternalError("the child for the sched_ext program is not in /proc");
  *program = {child.pid, task->start_ticks};
  RETURN_IF_ERROR(promise(*program));
  if (write(child.go, "g", 1) != 1) return ErrnoStatus(errno, "sched_ext program");
  int error = 0;
  if (read(child.answer, &error, sizeof error) == sizeof error) {
    if (error == ENOENT) {
      return absl::NotFoundError(
          absl::StrCat(wanted.command(0), ": no such program on this machine"));
    }
    return ErrnoStatus(error, wanted.command(0));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SchedExtProgram> StartSchedExt(
    const v1::SchedExt& wanted, const std::function<absl::Status(SchedExtProgram)>& promise,
    const std::string& root, Clock& clock) {
  if (wanted.command().empty()) return absl::InvalidArgumentError("no program, want one");
  const absl::StatusOr<std::string> state = ReadKernelFile(absl::StrCat(root, kFolder, "/state"));
  if (!state.ok()) return absl::NotFoundError("this kernel has no sched_ext");
  if (*state != "disabled") {
    return absl::FailedPreconditionError(
        absl::StrCat("sched_ext is ", *state, " already, want it disabled"));
  }
  ASSIGN_OR_RETURN(const Child child, Fork(wanted));
  SchedExtProgram program;
  absl::Status status = Begin(wanted, child, promise, &program);
  if (status.ok()) status = AwaitEnabled(wanted, child, root, clock);
  CloseAll(child);
  if (status.ok()) return program;
  kill(child.pid, SIGKILL);
  waitpid(child.pid, nullptr, 0);
  return status;
}

}  // namespace shakedown::runner
