// QEMU processes that an earlier agent left behind and that libvirt no longer knows.
#ifndef SHAKEDOWN_AGENT_MACHINE_QEMU_PROCESSES_H_
#define SHAKEDOWN_AGENT_MACHINE_QEMU_PROCESSES_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

// Whether a command line (/proc/PID/cmdline: words that end in NUL) is that of a QEMU whose guest's
// name starts with `prefix` and which was given a file below `folder`. Pure.
bool IsOurQemu(absl::string_view cmdline, absl::string_view prefix, absl::string_view folder);

// The processes of this user for which IsOurQemu.
std::vector<pid_t> FindQemuProcesses(absl::string_view prefix, absl::string_view folder);

// Ends them by pid and waits until they are gone. DeadlineExceeded: one is still there after 10 s.
absl::Status EndQemuProcesses(absl::string_view prefix, absl::string_view folder, Clock& clock);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_QEMU_PROCESSES_H_
