// An emulator's own fault that looks like the kernel's.
#ifndef SHAKEDOWN_AGENT_CONSOLE_STALE_BREAKPOINT_H_
#define SHAKEDOWN_AGENT_CONSOLE_STALE_BREAKPOINT_H_

#include "absl/strings/string_view.h"

namespace shakedown::console {

// Whether the first oops in `log` is a breakpoint that is not in memory. x86 kernels patch their
// code (static keys, alternatives) by way of an int3 that is there for microseconds; QEMU without
// KVM can run its translation of it after it has gone, and the kernel then dies of a trap nobody
// set. The proof is in the oops: the byte before the marked one in "Code: … 53 66 <90> e8" is the
// instruction that trapped, and an int3 is cc. False when the log does not say.
bool IsStaleBreakpoint(absl::string_view log);

}  // namespace shakedown::console

#endif  // SHAKEDOWN_AGENT_CONSOLE_STALE_BREAKPOINT_H_
