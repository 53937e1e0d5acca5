// What the doctor looks at, behind one interface so that tests can be ill.
#ifndef SHAKEDOWN_CONTROLLER_CLI_DOCTOR_HOST_PROBE_H_
#define SHAKEDOWN_CONTROLLER_CLI_DOCTOR_HOST_PROBE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::cli {

class HostProbe {
 public:
  virtual ~HostProbe() = default;
  // The first 64 KiB.
  virtual absl::StatusOr<std::string> Read(const std::string& path) const = 0;
  // OK: a guest runs on this host's processor. PermissionDenied: not for this user.
  virtual absl::Status Kvm() const = 0;
  // Paths that match a pattern of the shell.
  virtual std::vector<std::string> Glob(const std::string& pattern) const = 0;
  // Ends within 5 s. Its output; errors as RunForOutput's.
  virtual absl::StatusOr<std::string> Run(const std::vector<std::string>& argv) const = 0;
  // For this user, on the file system of the deepest folder of `path` that is there.
  virtual absl::StatusOr<uint64_t> FreeBytes(const std::string& path) const = 0;
  // Whether the kernel takes its clock for set by somebody who keeps it right.
  virtual absl::StatusOr<bool> ClockIsKept() const = 0;
};

std::unique_ptr<HostProbe> MakeHostProbe();

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_DOCTOR_HOST_PROBE_H_
