// A program run to its end and timed.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_TIMED_COMMAND_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_TIMED_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

// Where programs are looked up, whatever PATH we were started with: no ccache's folder in it.
inline constexpr char kCommandPath[] =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

struct TimedCommand {
  std::vector<std::string> argv;  // argv[0] is looked up in kCommandPath, or in our PATH.
  std::string folder;             // Working directory; empty: ours.
  bool share_output = false;      // Else the last bytes are kept.
  size_t keep = 16 << 10;         // So many.
  bool own_environment = false;   // Ours instead of the clean one, for a person's command.
};

// CPU times, faults and switches are those of the program and all descendants it waited for.
struct CommandTimes {
  int exit_code = 0;  // 128 + signal when ended by a signal.
  double real_s = 0;  // CLOCK_MONOTONIC, from before the fork to after the wait.
  double user_s = 0, system_s = 0;
  uint64_t major_faults = 0;
  uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::string output;
};

// Blocks. The program has its own process group, which is ended with it, and a clean environment:
// LC_ALL=C, kCommandPath, no ccache or distcc. An exit code is a result; NotFound: no such
// program.
absl::StatusOr<CommandTimes> TimeCommand(const TimedCommand& command);

// Looks a program up as TimeCommand does. Empty: not there.
std::string FindProgram(absl::string_view name);

// "program: exit code 2: last line | last line", or OK for exit code 0.
absl::Status CommandStatus(const TimedCommand& command, const CommandTimes& times);

// As bash's `time` prints them.
std::string ClassicTimes(const CommandTimes& times);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_TIMED_COMMAND_H_
