// Facts of the machine and the booted kernel that travel with the numbers.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_FINGERPRINT_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_FINGERPRINT_H_

#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// cpu.model, cpu.online, cpu.microcode, cpu.governor, cpu.smt, memory_kib, swap_kib, clocksource,
// kernel.hz, kernel.preemption, kernel.preempt_mode, hypervisor, autogroup, gcc, mitigations,
// runner.version, latt.zlib. A fact that this machine does not have is absent; one that it has and
// that could not be read is the empty string.
v1::Fingerprint ReadFingerprint();

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_FINGERPRINT_H_
