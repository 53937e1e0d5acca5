// The head of every result that a machine gives: which boot it is of, and how that ended.
#ifndef SHAKEDOWN_AGENT_MACHINE_ENDED_BOOT_H_
#define SHAKEDOWN_AGENT_MACHINE_ENDED_BOOT_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

inline constexpr size_t kMostReason = 600;  // Bytes of a reason that a result carries.

// `reason` may come from a guest or a daemon: it becomes one printable line.
v1::BootResult EndedBoot(const v1::BootOrder& order, v1::Outcome outcome, absl::string_view reason);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_ENDED_BOOT_H_
