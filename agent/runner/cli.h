// The runner as a command for people.
#ifndef SHAKEDOWN_AGENT_RUNNER_CLI_H_
#define SHAKEDOWN_AGENT_RUNNER_CLI_H_

#include <optional>
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
  std::vector<std::string> notices;  // For standard error, before anything else.

  // Asked for words only: what to print where, and the exit code.
  struct Answer {
    std::string output, error;
    int code = 0;
  };
  std::optional<Answer> answer;
  std::string help;  // To be printed if there is nothing to do.

  // Of latt.
  bool verbose = false;
  // Of interbench. Its log is RELEASE.log in the working directory.
  std::string comment;
  bool console_only = false;
  bool force_calibration = false;
  bool memload_by_default = false;  // To be dropped where there is no swap.
};
// `words`: the name of the load ("latt", "make", "interbench") and what comes after it; latt and
// interbench take the options of the programs of that name.
// InvalidArgument names the option. Option values may be glued or apart: -c8, -c 8.
absl::StatusOr<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_CLI_H_
