// A machine that can be made to run a given kernel and be measured: a VM or a laptop.
#ifndef SHAKEDOWN_AGENT_MACHINE_MACHINE_H_
#define SHAKEDOWN_AGENT_MACHINE_MACHINE_H_

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

struct MachineInfo {
  std::string name;
  std::vector<std::string> tags;             // "vm", "tcg" or "kvm", "laptop", …
  std::map<std::string, std::string> facts;  // For listings: "vcpus", "memory_mib", "accelerator".
};

// Files on this host whose digests have been checked against the order.
struct KernelFiles {
  std::string image;
  std::string initramfs;  // Empty: none.
  std::vector<std::string>
      input_disks;  // Raw ext4 images, one for each of the order's inputs, in their order.
};

// All are called in RunBoot's thread or one of its own; outlive the call.
struct BootHooks {
  // Where the boot is: "booting", "latt 2/3", and the fraction of the whole boot, 0 to 1.
  std::function<void(absl::string_view phase, float fraction)> progress;
  // Console bytes as they come, unedited, already bounded in total (the middle of a flood is left
  // out and said so).
  std::function<void(absl::string_view bytes)> console;
  // Before a reboot or a measuring window that a word to the farm would disturb: none is wanted for
  // this long. Zero: the window is over. Null: nobody asks.
  std::function<void(absl::Duration)> dark;
  // Becomes true when the boot is to be given up: result CANCELLED, within seconds.
  const std::atomic<bool>* cancel = nullptr;
};

// One boot at a time. Info() and Problem() are safe from any thread, the rest is for one owner.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual const MachineInfo& Info() const = 0;
  // Why no boot can be started now, for people, as "guest image PATH: …"; empty: one can. Looks
  // anew at each call, in milliseconds.
  virtual std::string Problem() const { return ""; }
  // Boots the order's kernel, proves its identity, runs the loads, ends the kernel, and gives back
  // all it took (domain, overlay, sockets), also on error. What the kernel did (panic, hang, wrong
  // kernel) is a result; a non-OK status means the farm failed and tells nothing of the kernel.
  // attempt_id, epoch, outcome are always set in a result.
  virtual absl::StatusOr<v1::BootResult> RunBoot(const v1::BootOrder& order,
                                                 const KernelFiles& files,
                                                 const BootHooks& hooks) = 0;
  // Ends and removes what an earlier process left behind. Idempotent; called before the first
  // RunBoot.
  virtual absl::Status CleanUp() = 0;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_MACHINE_H_
