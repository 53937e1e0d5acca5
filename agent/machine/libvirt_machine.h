// A virtual machine of this host, driven through libvirt: defined for one boot, gone after it.
#ifndef SHAKEDOWN_AGENT_MACHINE_LIBVIRT_MACHINE_H_
#define SHAKEDOWN_AGENT_MACHINE_LIBVIRT_MACHINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/machine/machine.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

struct LibvirtMachineOptions {
  std::string name;  // As CheckName wants it; unique on this host.
  // "qemu:///embed?root=DIR" (no daemon), "qemu:///session" or "qemu:///system". libvirt takes one
  // embedded root in the life of a process: all machines of an agent share it.
  std::string uri = "qemu:///session";
  uint32_t vcpus = 2;          // 1 to 64.
  uint32_t memory_mib = 1024;  // 128 to 1048576.
  std::string image;           // Raw ext4, as deploy/guest/build-image makes; only read.
  // Overlays and sockets, in a folder of the machine's name below. Absolute and short: a socket's
  // path has at most 107 bytes.
  std::string work_folder;
  std::vector<std::string> tags;  // Besides "vm" and "kvm" or "tcg".
  enum class Accelerator { kAuto, kKvm, kTcg };
  Accelerator accelerator = Accelerator::kAuto;  // kAuto: KVM where it works.
  // How long the runner may say nothing once it has said hello: the kernel hangs. A load that
  // starves everything else must end within it.
  absl::Duration silence_limit = absl::Seconds(120);
};

// InvalidArgument: an option out of range, named. FailedPrecondition: the image is of another kind,
// or KVM is asked for and does not work. No connection is made before the first CleanUp() or
// RunBoot(). `clock` outlives the machine.
absl::StatusOr<std::unique_ptr<Machine>> MakeLibvirtMachine(LibvirtMachineOptions options,
                                                            Clock& clock);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_LIBVIRT_MACHINE_H_
