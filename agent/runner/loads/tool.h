// The tool load: a benchmark that is installed on the machine, run and its output parsed.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_TOOL_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_TOOL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/runner/loads/load.h"

namespace shakedown::runner {

// Per iteration the metrics of tool_output.h, and tool.real (s). tool_version as the tool says it.
// FailedPrecondition: not installed; names the Debian package. DataLoss: its output is not as it
// should be. Internal: it failed. InvalidArgument: no such tool, or arguments that change what the
// numbers mean.
absl::StatusOr<v1::LoadRun> RunToolLoad(const v1::Load& load, const LoadContext& context);

// What is run for `load`, without a shell: "hackbench -g 10". InvalidArgument as above.
absl::StatusOr<std::vector<std::string>> ToolArgv(const v1::ToolLoad& load);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_TOOL_H_
