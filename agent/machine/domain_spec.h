// What a boot's virtual machine is, as libvirt's XML and the kernel's command line. Pure.
#ifndef SHAKEDOWN_AGENT_MACHINE_DOMAIN_SPEC_H_
#define SHAKEDOWN_AGENT_MACHINE_DOMAIN_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

inline constexpr char kRunnerPort[] = "org.shakedown.runner.0";
inline constexpr int kMaxInputs = 8;
// "shakedown.input=NAME:SERIAL" on the kernel's command line: mount the disk of that serial under
// that name.
inline constexpr char kInputParameter[] = "shakedown.input";

// A disk that the guest only reads.
struct InputDisk {
  std::string path;    // Raw.
  std::string serial;  // By which the guest finds it.
};

struct DomainSpec {
  std::string name;
  bool kvm = false;  // Else emulated (TCG).
  uint32_t vcpus = 2;
  uint32_t memory_mib = 1024;
  std::string kernel;
  std::string initramfs;  // Empty: none.
  std::string command_line;
  std::string overlay;            // qcow2, this boot's own.
  std::string image;              // Raw, read-only, behind the overlay.
  std::vector<InputDisk> inputs;  // At most kMaxInputs.
  // Unix sockets on which we listen and QEMU connects, so that no early byte is lost.
  std::string console_socket;
  std::string runner_socket;
};

// A machine that ends at reset and power-off, stays to be looked at when its kernel panics
// (pvpanic), and pauses when its watchdog fires or its disk can not be written.
std::string DomainXml(const DomainSpec& spec);

// The machine's own parameters: console, root disk, runner as init, an end at each panic or oops,
// and, emulated, the TSC as clock.
std::vector<std::string> MachineParameters(bool kvm);

// Of the archive's digest, what fits a virtio disk's serial: its first 20 hex digits.
std::string SerialOf(const v1::Input& input);

// The machine's own parameters, those that name the inputs' disks, and the order's in one line.
// InvalidArgument, naming the parameter: an empty one, more than 200 bytes, anything but printable
// ASCII without blank and quotes; "--" (what follows it is not the kernel's); more than 2000 bytes
// in all (the kernel takes 2047); an input that is not one, or too many.
absl::StatusOr<std::string> CommandLine(const v1::BootOrder& order, bool kvm);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_DOMAIN_SPEC_H_
