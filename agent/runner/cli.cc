#include "agent/runner/cli.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/for_person.h"
#include "agent/runner/json.h"
#include "agent/runner/service.h"
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
  shakedown-runner make [-jN|-j2x] [-C DIR] [--config C] [--cold] [target…]
                                                      builds the targets and times it
  shakedown-runner latt [-cN] [-sN] [-SN] [-xN] [--seconds N] 'command' | -- command…
                                                      wake-up latency while a command runs
  shakedown-runner interbench [option…]               simulated interactive tasks under loads
  shakedown-runner launch [count=50] [pause=100] [cold] [beside=…] [-- PROGRAM…]
                                                      how long a new process takes to start
  shakedown-runner frames [fps=25|30|60] [seconds=30] [cpu=30] [threads=1] [beside=…] [loops_per_ms=N]
                                                      a paced film: frames dropped, freezes
  shakedown-runner command [parallel=N] [latt] [script=FILE] [-- PROGRAM…]
                                                      a command, timed, alone or N at one time
  shakedown-runner tool hackbench|cyclictest|stress-ng|sysbench|perf-messaging|perf-pipe
                        [seconds=10] [-- ARGUMENT…]   an installed benchmark, its output parsed
  shakedown-runner setup 'STEP'… [-- LOAD…]           sets the machine up, runs the load, undoes it
  shakedown-runner undo                               undoes what setup or a crash has left
  shakedown-runner --version | --help

Every load:  --json  --iterations N (1)  --warmups N (0)  --limit SECONDS; before the words above
make:        -j jobs, 2x: twice the CPUs (so by itself)  -C source tree (/usr/src/load)
             --config allnoconfig, defconfig, tinyconfig or a .config, made in a copy of the tree
             --cold drops the caches before each build (root)  --nice N
             targets: the tree's .shakedown-targets when none is given
beside:      burn:THREADS, make, make:JOBS or command:PROGRAM,ARGUMENT,…
cpu:         percent of one CPU that the frames of a second take  pause: ms
words:       launch, frames, command and tool also take iterations=N warmups=N nice=N
latt:        -c clients (1)  -s shortest pause, ms (100)  -S width of the pauses, ms (500)
             -x work, KiB (64; 0: none)  --seconds: repeat the command for this long
             --profile 2009-09-08 | 0.1  -v a line for each event  -V the version
interbench:  -h lists its options, which are the original's, and --profile HEAD | 0.31
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

int RunLoadWords(const std::vector<std::string>& words) {
  const absl::StatusOr<LoadCommandLine> line = ParseLoadCommandLine(words);
  if (!line.ok()) return Usage(line.status());
  if (line->answer.has_value()) {
    Print(line->answer->output);
    fwrite(line->answer->error.data(), 1, line->answer->error.size(), stderr);
    return line->answer->code;
  }
  const absl::StatusOr<int> code = RunLoadForPerson(*line);
  return code.ok() ? *code : Usage(code.status());
}

int SetupOrUndo(const std::vector<std::string>& words) {
  const SetupDesk desk = {"", SystemClock(), Print, Say, [](const std::vector<std::string>& load) {
                            return RunInChild([&] { return RunLoadWords(load); });
                          }};
  if (words[0] == "setup") return SetupCommand({words.begin() + 1, words.end()}, desk);
  if (words.size() == 1) return UndoCommand(desk);
  return Usage(absl::InvalidArgumentError("undo: want no option"));
}

// How shakedown-laptop starts it.
int ServeParent(const std::vector<std::string>& words) {
  int fd = -1;
  std::optional<LoadUser> user;
  if (words.size() == 4 && words[2] == "--load-user") {
    user = ParseLoadUser(words[3]);
    if (!user) return Usage(absl::InvalidArgumentError("--load-user: want UID:GID, not root's"));
  }
  if (words.size() != (user ? 4 : 2) || !absl::SimpleAtoi(words[1], &fd) || fd < 0) {
    return Usage(absl::InvalidArgumentError("--fd: want the number of an open socket"));
  }
  return ServeSocket(fd, user);
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
  if (words[0] == "--fd") return ServeParent(words);
  return RunLoadWords(words);
}

}  // namespace shakedown::runner
