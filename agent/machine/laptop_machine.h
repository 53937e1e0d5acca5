// The laptop this agent runs on, driven through shakedown-laptop, its part that is root.
#ifndef SHAKEDOWN_AGENT_MACHINE_LAPTOP_MACHINE_H_
#define SHAKEDOWN_AGENT_MACHINE_LAPTOP_MACHINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/machine/machine.h"
#include "agent/machine/rest_gate.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

absl::Duration KernelUptime();  // Time asleep counts.

struct LaptopMachineOptions {
  std::string name;                                   // As CheckName wants it.
  std::string socket = "/run/shakedown/laptop.sock";  // The daemon's.
  std::vector<std::string> tags;                      // Besides "laptop".
  absl::Duration poll = absl::Seconds(1);             // Between looks at the daemon.
  // How long the daemon may be away in the middle of a boot.
  absl::Duration daemon_limit = absl::Minutes(5);
  // From the request to reboot to the end of this process: a countdown and all that shuts down.
  absl::Duration reboot_limit = absl::Minutes(15);
  absl::Duration tell_limit = absl::Seconds(20);  // For the farm to hear that it gets dark.
  // As LibvirtMachineOptions::silence_limit.
  absl::Duration silence_limit = absl::Seconds(120);
  RestLimits rest;
  std::string root;  // Before /sys; empty outside tests.
  absl::Duration (*uptime)() = KernelUptime;
};

// InvalidArgument: an option, named. The daemon is asked at each call, none has to run yet.
// `clock` outlives the machine. Its boots end in a reboot each way: RunBoot is called once in each
// life of the agent for one order, and goes on by the daemon's stage:
//   NONE: install → INSTALLED: dark, reboot → LEAVING: Suspended() when the process is told to end
//   IN_TEST: prove, measure, keep the result, reboot home.  A runner that was opened by an earlier
//     process: farm_failed, nothing is measured twice.
//   RETURNED: collect; Concluded() restores, once the result is safe.
// Cancelled before the reboot: restored; in the test kernel: the cancelled result is kept.
// What the machine's owner or its state do not allow now hands the order back (CANCELLED); what
// they do not allow of this order is an error.
absl::StatusOr<std::unique_ptr<Machine>> MakeLaptopMachine(LaptopMachineOptions options,
                                                           Clock& clock);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_LAPTOP_MACHINE_H_
