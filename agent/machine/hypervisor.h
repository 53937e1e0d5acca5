// libvirt as far as one boot needs it. libvirt's headers stop here.
#ifndef SHAKEDOWN_AGENT_MACHINE_HYPERVISOR_H_
#define SHAKEDOWN_AGENT_MACHINE_HYPERVISOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

enum class DomainState {
  kRunning,
  kEnded,          // Power-off or reset by the guest.
  kPanicked,       // The guest's kernel said so (pvpanic); the machine stands still.
  kWatchdogFired,  // The machine stands still.
  kHostDiskFull,   // The guest's disk could not be written for want of space here.
  kHostDiskError,  // … or for another reason.
  kQemuDied,       // The process ended otherwise than by the guest: ours to answer for.
  kDestroyed,      // Somebody on the host ended it.
  kGone,           // libvirt knows no such domain.
};
absl::string_view NameOf(DomainState state);

// Thread-safe. Unavailable: no connection, libvirt refused. ResourceExhausted: the host has no
// space or memory. The messages are libvirt's, in one line.
class Hypervisor {
 public:
  virtual ~Hypervisor() = default;
  // Defines the domain and starts it.
  virtual absl::Status Start(const std::string& xml) = 0;
  virtual absl::StatusOr<DomainState> State(const std::string& name) = 0;
  // Ends and undefines it. OK when there is no such domain.
  virtual absl::Status Remove(const std::string& name) = 0;
  // Names of all domains, running or only defined, that start with `prefix` and whose definition
  // names a file below `folder`.
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& prefix,
                                                        const std::string& folder) = 0;
};

// `uri`: "qemu:///system", "qemu:///session" or "qemu:///embed?root=DIR". For an embedded driver
// DIR and its etc/qemu.conf are made ready first, and one thread of this process runs libvirt's
// event loop.
absl::StatusOr<std::unique_ptr<Hypervisor>> ConnectHypervisor(const std::string& uri);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_HYPERVISOR_H_
