// What a person gives the agent at its start: machines in words, a token in a file, a folder for
// its state.
#ifndef SHAKEDOWN_AGENT_SESSION_OPTIONS_H_
#define SHAKEDOWN_AGENT_SESSION_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/session/backoff.h"

namespace shakedown::agent {

struct MachineSpec {
  std::string name;
  uint32_t vcpus = 0;
  uint32_t memory_mib = 0;
  std::string image;  // Absolute path of the guest image.
  std::vector<std::string> tags;
};

// "name=vm1 vcpus=2 memory=1024 image=/path tag=a tag=b". InvalidArgument names the part, its value
// and what is wanted.
absl::StatusOr<MachineSpec> ParseMachineSpec(absl::string_view text);

struct LaptopSpec {
  std::string name;
  std::string socket = "/run/shakedown/laptop.sock";  // Of shakedown-laptop.
  std::vector<std::string> tags;
};
// "name=x1 socket=/run/shakedown/laptop.sock tag=a", as above.
absl::StatusOr<LaptopSpec> ParseLaptopSpec(absl::string_view text);

// InvalidArgument when two machines have one name.
absl::StatusOr<std::vector<MachineSpec>> ParseMachineSpecs(const std::vector<std::string>& texts);

// The token: the file's content without blanks at its ends. PermissionDenied when others may read
// the file; InvalidArgument when it is empty, long or not printable. The text never holds it.
absl::StatusOr<std::string> ReadToken(const std::string& path);

// A folder that one agent uses at a time, from this object's making to its end.
class StateFolder {
 public:
  virtual ~StateFolder() = default;
  // Free bytes for this agent on the folder's file system.
  virtual absl::StatusOr<uint64_t> FreeBytes() const = 0;
};
// Makes the folder. FailedPrecondition when another agent holds it, with its process id.
absl::StatusOr<std::unique_ptr<StateFolder>> TakeStateFolder(const std::string& path);

// Thread-safe, seeded by the kernel.
Random MakeRandom();

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_OPTIONS_H_
