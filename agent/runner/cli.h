// The runner as a command for people.
#ifndef SHAKEDOWN_AGENT_RUNNER_CLI_H_
#define SHAKEDOWN_AGENT_RUNNER_CLI_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

// Exit code: 0 done, 1 the load failed, 64 usage.
int RunCommandLine(int argc, char** argv);

// What a command line asks for.
struct LoadCommandLine {
  v1::Load load;
  std::string tree = "/usr/src/load";
  uint32_t limit_s = 24 * 3600;
  bool json = false;
};
// `words`: the name of the load ("latt", "make", "interbench") and what comes after it.
// InvalidArgument names the option. Option values may be glued or apart: -c8, -c 8.
absl::StatusOr<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_CLI_H_
