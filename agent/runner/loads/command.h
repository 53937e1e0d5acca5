// The command load: a program or a script of the user's, timed.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_COMMAND_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_COMMAND_H_

#include "absl/status/statusor.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Per iteration: command.real, command.user, command.sys (s; of several copies: the whole, from
// before the first to after the last, and the sums), command.majflt, command.ctxt.{voluntary,
// involuntary}, command.exit_code ("1"; any but 0 makes the load fail, unless a person waits for
// it); of several copies also command.copy.{avg,max} (s, real). A script is a file of its own, mode
// 0700, in the folder the command runs in, which is below context.scratch. Under latt: the
// measurements of latt.h instead. InvalidArgument: words and a script or none, a script without
// "#!", too many copies. Internal: a copy failed; names its exit code.
absl::StatusOr<v1::LoadRun> RunCommandLoad(const v1::Load& load, const LoadContext& context);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_COMMAND_H_
