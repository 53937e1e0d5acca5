// The folder of libvirt's embedded QEMU driver (qemu:///embed?root=DIR).
#ifndef SHAKEDOWN_AGENT_MACHINE_EMBEDDED_DRIVER_H_
#define SHAKEDOWN_AGENT_MACHINE_EMBEDDED_DRIVER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::agent {

// DIR of an embed URI; empty for the other URIs of QEMU. InvalidArgument, naming the URI: no QEMU
// URI, or an embed one whose root is missing or not an absolute path.
absl::StatusOr<std::string> EmbeddedRoot(const std::string& uri);

// Makes the folder and DIR/etc/qemu.conf; a file that people wrote stays as it is.
// FailedPrecondition: run by root on a host without the user libvirt-qemu, which libvirt wants.
absl::Status PrepareEmbeddedDriver(const std::string& root);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_EMBEDDED_DRIVER_H_
