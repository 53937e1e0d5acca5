#include "agent/runner/cli.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "agent/runner/json.h"
#include "agent/runner/loads/load_process.h"
#include "agent/runner/loads/process_tree.h"
#include "agent/runner/setup/fingerprint.h"
#include "agent/runner/setup/identity.h"
#include "agent/runner/setup/say.h"
#include "agent/runner/setup_command.h"
#include "agent/runner/version.h"

namespace shakedown::runner {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 64;

constexpr char kHelp[] =
    R"(shakedown-runner: measures how a Linux kernel schedules

  shakedown-runner identify [--json]                  this kernel and machine
  shakedown-runner make [-jN] [-C DIR] [target…]      builds the targets and times it
  shakedown-runner latt [-cN] [-sN] [-SN] [-xN] [--seconds N] -- command…
                                                      wake-up latency while a command runs
  shakedown-runner interbench [-l N] [-L N] [-t S] [-w|-x LOAD]… [-W|-X BENCHMARK]…
                                                      simulated interactive tasks under loads
  shakedown-runner setup 'STEP'… [-- LOAD…]           sets the machine up, runs the load, undoes it
  shakedown-runner undo                               undoes what setup or a crash has left
  shakedown-runner --version | --help

Every load:  --json  --iterations N (1)  --warmups N (0)  --limit SECONDS
make:        -j jobs (twice the CPUs)  -C source tree (/usr/src/load)
             targets: the tree's .shakedown-targets when none is given
latt:        -c clients (1)  -s shortest pause, ms (100)  -S width of the pauses, ms (500)
             -x work, KiB (64; 0: none)  --seconds: repeat the command for this long
interbench:  -l loops per ms (calibrated)  -L burning threads (CPUs)  -t seconds per pair (30)
             -w only, -x without this load: None Video X Burn Write Read Ring Compile Memload
             -W only, -X without this benchmark: Audio Video X Gaming
setup:       'stop SERVICE'  drop_caches  'governor NAME'  'turbo on|off'  'autogroup on|off'
             'sysctl NAME=VALUE'  settle:load=N,celsius=N,seconds=N,limit=N  require_ac
)";

void Print(absl::string_view text) { fwrite(text.data(), 1, text.size(), stdout); }

int Usage(const absl::Status& status) {
  Say(absl::StrCat(status.message(), "; see shakedown-runner --help"));
  return kUsage;
}

int Identify(bool json) {
  v1::Identified identified;
  absl::StatusOr<v1::Identity> identity = ReadIdentity({});
  if (!identity.ok()) {
    Say(identity.status().message());
    return kFailed;
  }
  *identified.mutable_identity() = *std::move(identity);
  *identified.mutable_fingerprint() = ReadFingerprint();
  if (json) {
    Print(ToJson(identified));
    return 0;
  }
  const v1::Identity& id = identified.identity();
  Print(absl::StrCat(
      "release: ", id.release(), "\nversion: ", id.version(), "\nbuild id: ", id.build_id(),
      "\ncommand line: ", id.command_line(), "\nboot id: ", id.boot_id(),
      "\nsched_ext: ", id.sched_ext_state().empty() ? "not in this kernel" : id.sched_ext_state(),
      " ", id.sched_ext_ops(), "\n"));
  std::vector<std::string> facts;
  for (const auto& [name, value] : identified.fingerprint().facts()) {
    facts.push_back(absl::StrCat(name, ": ", value, "\n"));
  }
  std::sort(facts.begin(), facts.end());
  for (const std::string& fact : facts) Print(fact);
  return 0;
}

// A descriptor that is readable when the person wants the end.
int WatchInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, s);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

v1::RunnerEvent RunToItsEnd(LoadProcess& process, int interrupts) {
  Clock& clock = SystemClock();
  for (;;) {
    pollfd fds[2] = {{process.fd(), POLLIN, 0}, {interrupts, POLLIN, 0}};
    const absl::Duration wait =
        std::max(absl::ZeroDuration(), process.next_beat() - clock.Elapsed());
    poll(fds, 2, static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1);
    std::vector<v1::RunnerEvent> events =
        fds[1].revents != 0 ? process.Stop("interrupted") : process.Step();
    if (process.done()) return events.back();
  }
}

int RunLoadForPerson(const LoadCommandLine& line) {
  absl::Status status = AdoptOrphans();
  if (!status.ok()) Say(status.message());
  LoadPlace place;
  place.tree = line.tree;
  place.share_output = !line.json;
  v1::RunLoad request;
  *request.mutable_load() = line.load;
  request.set_limit_s(line.limit_s);
  const int interrupts = WatchInterrupts();
  auto process = LoadProcess::Start(request, place, SystemClock());
  if (!process.ok()) return Usage(process.status());
  const v1::RunnerEvent event = RunToItsEnd(**process, interrupts);
  if (event.has_failure()) {
    Say(event.failure().error());
    return kFailed;
  }
  if (line.json) {
    Print(ToJson(event.load_run()));
    return 0;
  }
  for (const std::string& warning : event.load_run().warnings()) Say(warning);
  Print(event.load_run().output());
  return 0;
}

int RunLoadWords(const std::vector<std::string>& words) {
  const absl::StatusOr<LoadCommandLine> line = ParseLoadCommandLine(words);
  return line.ok() ? RunLoadForPerson(*line) : Usage(line.status());
}

int SetupOrUndo(const std::vector<std::string>& words) {
  const SetupDesk desk = {"", SystemClock(), Print, Say, [](const std::vector<std::string>& load) {
                            return RunInChild([&] { return RunLoadWords(load); });
                          }};
  if (words[0] == "setup") return SetupCommand({words.begin() + 1, words.end()}, desk);
  if (words.size() == 1) return UndoCommand(desk);
  return Usage(absl::InvalidArgumentError("undo: want no option"));
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  signal(SIGPIPE, SIG_IGN);
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    Print(kHelp);
    return words.empty() ? kUsage : 0;
  }
  if (words[0] == "--version") {
    Print(absl::StrCat("shakedown-runner ", kVersion, "\n"));
    return 0;
  }
  if (words[0] == "identify") {
    const bool json = words.size() == 2 && words[1] == "--json";
    if (words.size() > 1 && !json)
      return Usage(absl::InvalidArgumentError("identify: want no option but --json"));
    return Identify(json);
  }
  if (words[0] == "setup" || words[0] == "undo") return SetupOrUndo(words);
  return RunLoadWords(words);
}

}  // namespace shakedown::runner
