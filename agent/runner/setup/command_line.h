// The kernel's command line: "root=/dev/vda ro quiet init=/x".
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_COMMAND_LINE_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::runner {

// The value of the last `key=value`, as the kernel takes it; "" for a bare `key`; nothing when it
// is absent. Words after "--" belong to init and are not looked at. Double quotes keep spaces.
std::optional<std::string> BootParameter(absl::string_view command_line, absl::string_view key);

// The values of all of them, in their order.
std::vector<std::string> BootParameters(absl::string_view command_line, absl::string_view key);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_COMMAND_LINE_H_
