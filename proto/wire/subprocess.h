// Programs as child processes: argument vectors, never a shell; the whole process group ends
// together.
#ifndef SHAKEDOWN_PROTO_WIRE_SUBPROCESS_H_
#define SHAKEDOWN_PROTO_WIRE_SUBPROCESS_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shakedown {

struct Command {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH of the parent.
  std::vector<std::string> environment = {
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
      "HOME=/nonexistent"};
  std::string folder;  // Working directory; empty: the parent's.
  std::string input;   // Written to its standard input, which is then closed.
  absl::Duration limit = absl::InfiniteDuration();
  const std::atomic<bool>* cancel = nullptr;  // Looked at every 100 ms; outlives the call.
  std::optional<uint32_t> user;               // setresuid/setresgid before exec; needs root.
  std::optional<uint32_t> group;
  // Called with each piece of stdout and stderr (mixed as they come) in the calling thread.
  std::function<void(absl::string_view)> output;
  size_t keep = 1 << 20;  // Bytes of output kept in the result (the last ones).
};

struct CommandResult {
  int exit_code = 0;  // 128 + signal when ended by a signal.
  bool timed_out = false;
  bool cancelled = false;
  std::string output;  // The last `keep` bytes of stdout and stderr.
};

// Runs a program to its end. On limit or cancel its process group gets SIGTERM and 2 s later
// SIGKILL. An exit code other than 0 is a result, not an error. NotFound: no such program; others:
// could not start. Blocks; safe from any thread.
absl::StatusOr<CommandResult> RunCommand(const Command& command);

// Runs and returns the output; exit code other than 0, time-out or cancel is an error (Internal,
// DeadlineExceeded, Cancelled) that names the program and its last lines.
absl::StatusOr<std::string> RunForOutput(const Command& command);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_SUBPROCESS_H_
