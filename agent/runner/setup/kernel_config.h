// Facts from a kernel's own configuration (/proc/config.gz).
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_KERNEL_CONFIG_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_KERNEL_CONFIG_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

// InvalidArgument: not gzip, cut, or more than 8 MiB of text.
absl::StatusOr<std::string> Gunzip(absl::string_view packed);

// "kernel.hz" = "250", "kernel.preemption" = "none" | "voluntary" | "full" | "rt" | "lazy", and
// "kernel.preempt_dynamic" = "y"; what the text does not say is absent.
std::map<std::string, std::string> ConfigFacts(absl::string_view config);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_KERNEL_CONFIG_H_
