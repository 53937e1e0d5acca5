// How long a new process takes to come up.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PROGRAM_START_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PROGRAM_START_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace shakedown::runner {

// The argument with which our own program writes one byte and ends, before it does anything else.
inline constexpr char kSayOneByte[] = "--say-one-byte";
// What it then does; returns its exit code.
int SayOneByte();

// Nanoseconds from before vfork (by posix_spawn, which starts a process without copying ours) to
// after our read of the program's first byte on its standard output; the reader's own wake-up is in
// it. argv[0] is a path. The program must then end within a minute; its group is ended with it.
// Internal: it ended without a byte, or with a code other than 0 (SIGPIPE is fine: nobody reads
// on). DeadlineExceeded: no byte, or no end.
absl::StatusOr<int64_t> TimeToFirstByte(const std::vector<std::string>& argv);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PROGRAM_START_H_
