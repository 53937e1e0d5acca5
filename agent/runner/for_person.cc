#include "agent/runner/for_person.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/json.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/load_process.h"
#include "agent/runner/loads/pipe_io.h"
#include "agent/runner/loads/process_tree.h"
#include "agent/runner/loops_file.h"
#include "agent/runner/setup/say.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr int kFailed = 1;

// Whether somebody still reads it is nobody's business.
void WriteTo(int fd, absl::string_view text) { WriteAll(fd, text.data(), text.size()); }

// A descriptor that is readable when the person wants the end.
int WatchInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, s);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

v1::RunnerEvent RunToItsEnd(LoadProcess& process, int interrupts, bool latt) {
  Clock& clock = SystemClock();
  for (;;) {
    pollfd fds[2] = {{process.fd(), POLLIN, 0}, {interrupts, POLLIN, 0}};
    const absl::Duration wait =
        std::max(absl::ZeroDuration(), process.next_beat() - clock.Elapsed());
    poll(fds, 2, static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1);
    std::vector<v1::RunnerEvent> events;
    signalfd_siginfo signal_info;
    if (fds[1].revents != 0 &&
        read(interrupts, &signal_info, sizeof signal_info) == sizeof signal_info) {
      // The first ^C is latt's command's; latt then ends by itself.
      const bool pass_on = std::exchange(latt, false) && signal_info.ssi_signo == SIGINT;
      if (pass_on) process.Interrupt();
      if (!pass_on) events = process.Stop("interrupted");
    } else {
      events = process.Step();
    }
    if (process.done()) return events.back();
  }
}

bool HasSwap() {
  const absl::StatusOr<std::string> text = ReadFile("/proc/meminfo", 1 << 16);
  const absl::StatusOr<uint64_t> swap = MeminfoKib(text.ok() ? *text : "", "SwapTotal");
  return swap.ok() && *swap > 0;
}

// Tried, not asked: file systems differ in what they say to root.
bool IsWritable(const std::string& folder) {
  std::string probe = folder + "/.shakedown-probe.XXXXXX";
  return mkdtemp(probe.data()) != nullptr && rmdir(probe.c_str()) == 0;
}

// Where the load's files may be: for interbench on the disk the person stands on.
std::string ScratchParent(bool interbench, bool writable) {
  if (interbench && writable) return ".";
  for (const char* folder : {"/var/tmp", "/tmp"}) {
    if (IsWritable(folder)) return folder;
  }
  return ".";
}

// The log of interbench: RELEASE.log, added to. -1: none, which has been said.
int OpenLog() {
  utsname names;
  if (uname(&names) != 0) return -1;
  std::string name = names.release;  // A slash in it would lead out of here.
  std::replace(name.begin(), name.end(), '/', '_');
  absl::StrAppend(&name, ".log");
  const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) Say(absl::StrCat(ErrnoStatus(errno, name).message(), ": no log is written"));
  return fd;
}

void DropMemloadWithoutSwap(v1::InterbenchLoad& bench) {
  if (HasSwap()) return;
  auto& loads = *bench.mutable_loads();
  const auto memload = std::find(loads.begin(), loads.end(), "Memload");
  if (memload == loads.end()) return;
  loads.erase(memload);
  Say("interbench: no swap (SwapTotal is 0 kB): Memload is left out");
}

absl::Status PrepareInterbench(LoadCommandLine& line, LoadPlace& place, bool writable) {
  v1::InterbenchLoad& bench = *line.load.mutable_interbench();
  if (line.memload_by_default) DropMemloadWithoutSwap(bench);
  if (!writable) {
    Say(absl::StrCat("interbench: the working directory can not be written: no log and no ",
                     kLoopsFile, " is kept, and the files of Write, Read and Compile lie in ",
                     place.scratch_parent, ", perhaps another disk"));
  }
  ASSIGN_OR_RETURN(
      const uint64_t loops,
      LoopsPerMs({bench.loops_per_ms(), line.force_calibration, "."}, CalibrateThisCpu, Say));
  bench.set_loops_per_ms(loops);
  place.comment = line.comment;
  const int log = line.console_only ? -1 : OpenLog();
  const int console = line.json ? -1 : STDOUT_FILENO;
  place.table = [log, console](absl::string_view piece) {
    if (console >= 0) WriteTo(console, piece);
    if (log >= 0) WriteTo(log, piece);
  };
  return absl::OkStatus();
}

// latt says nothing of its command; on standard error it is no part of latt's output.
void SayCommand(const v1::LoadRun& run) {
  std::map<std::string, double> values;
  for (const v1::Measurement& m : run.measurements()) values[m.metric()] = m.value();
  Say(absl::StrFormat("command: status %.0f, real %.3f s, user %.3f s, sys %.3f s, %.0f run(s)",
                      values["latt.command.status"], values["latt.command.real"],
                      values["latt.command.user"], values["latt.command.sys"],
                      values["latt.command.runs"]));
}

void Show(const LoadCommandLine& line, const v1::LoadRun& run) {
  if (line.json) return WriteTo(STDOUT_FILENO, ToJson(run));
  for (const std::string& warning : run.warnings()) Say(warning);
  if (!line.load.has_interbench())
    WriteTo(STDOUT_FILENO, run.output());  // Else it came as it grew.
  if (line.load.has_latt()) SayCommand(run);
}

}  // namespace

absl::StatusOr<int> RunLoadForPerson(LoadCommandLine line) {
  for (const std::string& notice : line.notices) Say(notice);
  const absl::Status adopted = AdoptOrphans();
  if (!adopted.ok()) Say(adopted.message());
  const bool writable = IsWritable(".");
  LoadPlace place;
  place.scratch_parent = ScratchParent(line.load.has_interbench(), writable);
  place.tree = line.tree;
  place.share_output = !line.json;
  place.for_person = true;
  if (line.verbose) place.trace = [](absl::string_view text) { WriteTo(STDERR_FILENO, text); };
  if (line.load.has_interbench()) RETURN_IF_ERROR(PrepareInterbench(line, place, writable));
  v1::RunLoad request;
  *request.mutable_load() = line.load;
  request.set_limit_s(line.limit_s);
  const int interrupts = WatchInterrupts();
  ASSIGN_OR_RETURN(const std::unique_ptr<LoadProcess> process,
                   LoadProcess::Start(request, place, SystemClock()));
  const v1::RunnerEvent event = RunToItsEnd(*process, interrupts, line.load.has_latt());
  if (event.has_failure()) {
    Say(event.failure().error());
    return kFailed;
  }
  Show(line, event.load_run());
  return 0;
}

}  // namespace shakedown::runner
