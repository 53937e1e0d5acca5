// The command line of a test kernel: how this machine's kernel finds its root, how the test kernel
// comes home, and what the order adds. Pure.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_COMMAND_LINE_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::laptop {

// `running`: /proc/cmdline of the owner's kernel. All of it is kept but what the loader adds
// (BOOT_IMAGE, initrd), what hides messages (quiet, splash), what starts a rescue mode or takes the
// watchdogs away, resume= (a test kernel must never wake a hibernated system) and what is set here.
// Then come
//   panic=10 oops=panic softlockup_panic=1 hung_task_panic=1 nmi_watchdog=panic
//                           a kernel that fell over resets the machine, and GRUB starts the default
//   systemd.watchdog_sec=60 the hardware's watchdog, fed by systemd (version 250 or later)
//   noresume efi_pstore.pstore_disable=0
//   shakedown.boot=ATTEMPT_ID
// and the order's parameters.
// InvalidArgument: a parameter of the order that is no word of harmless ASCII, that contradicts the
// ones above, or that says what is root, init or the way home. FailedPrecondition: the running
// kernel's line has a word that a loader can not be given, no root=, or is too long.
absl::StatusOr<std::string> BuildCommandLine(absl::string_view running,
                                             absl::string_view attempt_id,
                                             const std::vector<std::string>& parameters);

// The attempt of shakedown.boot=… in a kernel's command line; empty: none.
std::string TokenIn(absl::string_view command_line);

// "UUID=…" of root=…; empty: none. The last one counts.
std::string RootIn(absl::string_view command_line);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_COMMAND_LINE_H_
