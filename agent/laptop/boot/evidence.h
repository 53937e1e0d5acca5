// What a machine that is back in its owner's kernel knows of the boot it came from → what became of
// that boot. Pure.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_EVIDENCE_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_EVIDENCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/console/watcher.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::laptop {

struct Evidence {
  // From our journal:
  bool armed = false;       // The one-shot entry was read back before the reboot.
  bool fleeting = false;    // As kexec's is: what is armed is gone without power.
  bool not_taken = false;   // It was still armed in the owner's kernel.
  bool in_test = false;     // Our process ran in the test kernel.
  bool going_home = false;  // And asked for the reboot home.
  absl::Duration away;      // By the wall clock; nobody knows what happened to it.
  absl::Duration limit;     // Until when the machine should have been back.
  // From the kernel, the firmware and the system's journal:
  console::Verdict panic;  // Of the kernel's messages in pstore that are new and of this release.
  bool watchdog_reset = false;  // The hardware's watchdog says that it caused the last reset.
  bool user_space = false;      // The system's journal has a boot between the two.
  bool orderly = false;         // And that one ended by a shutdown.
  bool waited = false;          // And that one by our unit that had waited for our service.
  bool left_orderly = false;    // So did the one that was left.
};

struct Finding {
  v1::Outcome outcome = v1::OUTCOME_FARM_FAILED;
  std::string reason;  // One line.
};

// For a boot without a kept result; a kept one is the truth and never comes here. The first row
// that holds is the answer:
//
//   not armed, not in test          farm_failed  power lost before the reboot
//   not taken, not in test          farm_failed  firmware or loader did not take it
//   panic: no root, no init         boot_failed  its title
//   panic: lockup, hung task        hung         its title
//   panic: any other, oops          panicked     its title
//   watchdog_reset                  hung         the hardware's watchdog
//   fleeting, not in test nor in
//   user_space, not left_orderly    farm_failed  power lost before the reboot
//   waited, not in test             boot_failed  its system did not come up: emergency mode, …
//   going_home                      farm_failed  it came home without a result
//   orderly                         farm_failed  shut down, not by the farm
//   away > limit (0 ≤ away ≤ 30 d)  hung         somebody had to reset it
//   in_test                         farm_failed  power lost, or reset without a trace
//   user_space                      farm_failed  likewise, before our service started there
//   nothing of all that             boot_failed  came home by itself (panic=) before user space; a
//                                                power cut in those seconds looks the same
//
// A kernel is only blamed where something of its own speaks: a trace, or its silence. `away` past
// the limit says as much of a machine that lost its power and stood there; the reason says so.
Finding JudgeReturn(const Evidence& evidence);

// The kernel's messages in `dmesg` as a verdict, unless they are of another kernel than `release`
// (its oops names it: "… Not tainted 6.12.0-sd #1").
console::Verdict JudgeMessages(absl::string_view dmesg, absl::string_view release);

// Whether the last lines of a boot in the system's journal (journalctl -o short) tell of a
// shutdown.
bool EndsOrderly(absl::string_view lines);

// Whether they tell that shakedown-way-home.service brought the machine home.
bool EndsWaiting(absl::string_view lines);

// The boot before the one that runs, from journalctl --list-boots: 32 hex digits. Empty: none, or
// `left` (the one that was left; with or without dashes).
std::string BootBetween(absl::string_view list_boots, absl::string_view left);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_EVIDENCE_H_
