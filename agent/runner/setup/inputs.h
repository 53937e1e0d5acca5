// Trees that the host offers as read-only disks: mounted at /run/shakedown/inputs/NAME.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_INPUTS_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {

inline constexpr char kInputsFolder[] = "/run/shakedown/inputs";

struct Input {
  std::string name;
  std::string serial;  // Of the disk.
  bool operator==(const Input&) const = default;
};

// From the kernel's command line, "shakedown.input=NAME:SERIAL" each; what is malformed is left
// out.
std::vector<Input> InputsOf(absl::string_view command_line);

// Name of the disk below `folder` ("/sys/block") whose file "serial" says `serial`: "vdb".
// NotFound: none.
absl::StatusOr<std::string> FindDisk(const std::string& serial, const std::string& folder);

// Mounts all that the command line names: read-only, without devices and set-user-id files. A disk
// is waited for, some seconds. What fails is said on the console: the load that reads it will fail
// and name it.
void MountInputs(Clock& clock);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_INPUTS_H_
