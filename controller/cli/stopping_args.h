// --blocks, --quick, --looks, --budget, --primary and --control of submit.
#ifndef SHAKEDOWN_CONTROLLER_CLI_STOPPING_ARGS_H_
#define SHAKEDOWN_CONTROLLER_CLI_STOPPING_ARGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::cli {

struct StoppingArgs {
  std::optional<uint32_t> blocks;  // At most one of these three.
  bool quick = false;
  bool looks = false;
  std::optional<uint64_t> budget_s;
  std::vector<std::string> primaries;
  bool control = false;
};

// Seconds of "40s", "90m", "4h", "1h30m", "2d". InvalidArgument: anything else, less than a second,
// more than a year.
absl::StatusOr<uint64_t> ParseSpan(absl::string_view text);

// What is given wins over what `spec` says.
void SetStopping(const StoppingArgs& args, v1::JobSpec* spec);

// Lines for a dry run, ended by line feeds; nothing for a plain number of blocks.
std::string StoppingLines(const v1::JobSpec& spec);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_STOPPING_ARGS_H_
