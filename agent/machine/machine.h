// A machine that can be made to run a given kernel and be measured: a VM or a laptop.
#ifndef SHAKEDOWN_AGENT_MACHINE_MACHINE_H_
#define SHAKEDOWN_AGENT_MACHINE_MACHINE_H_

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

struct MachineInfo {
  std::string name;
  std::vector<std::string> tags;             // "vm", "tcg" or "kvm", "laptop", …
  std::map<std::string, std::string> facts;  // For listings: "vcpus", "memory_mib", "accelerator".
  // The machine's boots end this process: RunBoot takes an order up again where an earlier process
  // left it, and all that is left of a block is taken at once, because the farm is away meanwhile.
  bool outlives_agent = false;
  bool wants_modules = false;  // Has a root of its own: KernelFiles::modules is fetched for it.
};

// Files on this host whose digests have been checked against the order.
struct KernelFiles {
  std::string image;
  std::string initramfs;  // Empty: none.
  std::string modules;    // Empty: none, or not wanted.
  std::vector<std::string>
      input_disks;  // Raw ext4 images, one for each of the order's inputs, in their order.
};

// All are called in RunBoot's thread or one of its own; outlive the call.
struct BootHooks {
  // Where the boot is: "booting", "latt 2/3", and the fraction of the whole boot, 0 to 1.
  std::function<void(absl::string_view phase, float fraction)> progress;
  // All that is known of the load that runs, whenever there is more of it; without samples once it
  // has ended. Null: nobody looks on.
  std::function<void(const v1::LiveTelemetry&)> live;
  // Console bytes as they come, unedited, already bounded in total (the middle of a flood is left
  // out and said so).
  std::function<void(absl::string_view bytes)> console;
  // Before a reboot or a measuring window that a word to the farm would disturb: none is wanted for
  // this long, because of `reason` ("reboots into 6.12.9 for 17.3B"). Zero: the window is over.
  // Null: nobody asks.
  std::function<void(absl::Duration, absl::string_view reason)> dark;
  // Waits, at most so long, until the farm has heard how things stand now. False: it has not, or
  // the agent stops. Null: nobody to tell.
  std::function<bool(absl::Duration limit)> told;
  // Becomes true when the boot is to be given up: result CANCELLED, within seconds.
  const std::atomic<bool>* cancel = nullptr;
  // Becomes true, before `cancel` does, when this process ends: a machine that outlives it returns
  // Suspended() within seconds and gives nothing up. Null: as false.
  const std::atomic<bool>* stop = nullptr;

  bool Cancelled() const { return cancel != nullptr && cancel->load(); }
  bool Stopping() const { return stop != nullptr && stop->load(); }
};

// The third way for RunBoot to end: neither a result nor a failure. The order stays open, the next
// process takes it up again.
inline constexpr char kSuspendedUrl[] = "shakedown.agent/suspended";
inline absl::Status Suspended() {
  absl::Status status = absl::AbortedError("the machine reboots: the order stays open");
  status.SetPayload(kSuspendedUrl, absl::Cord());
  return status;
}
inline bool IsSuspended(const absl::Status& status) {
  return status.GetPayload(kSuspendedUrl).has_value();
}

// One boot at a time. Info() and Problem() are safe from any thread, the rest is for one owner.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual const MachineInfo& Info() const = 0;
  // Why no boot can be started now, for people, as "guest image PATH: …"; empty: one can. Looks
  // anew at each call, in milliseconds.
  virtual std::string Problem() const { return ""; }
  // As Info().facts, but as they are now. Quick, from any thread.
  virtual std::map<std::string, std::string> Facts() const { return Info().facts; }
  // What a person has to press when it does not come back. Empty: nobody has to. As Facts().
  virtual std::string Hands() const { return ""; }
  // Whether the order is under way from an earlier process, so that RunBoot wants no files for it.
  // An error is one of RunBoot's.
  virtual absl::StatusOr<bool> HasBegun(const v1::BootOrder&, const BootHooks&) { return false; }
  // Boots the order's kernel, proves its identity, runs the loads, ends the kernel, and gives back
  // all it took (domain, overlay, sockets), also on error. What the kernel did (panic, hang, wrong
  // kernel) is a result; a non-OK status means the farm failed and tells nothing of the kernel.
  // attempt_id, epoch, outcome are always set in a result. Suspended() only from a machine that
  // outlives the agent.
  virtual absl::StatusOr<v1::BootResult> RunBoot(const v1::BootOrder& order,
                                                 const KernelFiles& files,
                                                 const BootHooks& hooks) = 0;
  // The order's result is safe: what was kept to take the order up again can go. An error is only
  // said; what is left then is CleanUp()'s.
  virtual absl::Status Concluded(const v1::BootOrder&) { return absl::OkStatus(); }
  // Ends and removes what an earlier process left behind, but for what belongs to the boots `open`
  // (attempt_ids) of a machine that outlives the agent. Idempotent; called before the first
  // RunBoot.
  virtual absl::Status CleanUp(const std::set<std::string>& open) = 0;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_MACHINE_H_
