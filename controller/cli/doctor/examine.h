// What keeps this host from being a good one for a farm, and how to mend it.
#ifndef SHAKEDOWN_CONTROLLER_CLI_DOCTOR_EXAMINE_H_
#define SHAKEDOWN_CONTROLLER_CLI_DOCTOR_EXAMINE_H_

#include <string>

#include "controller/cli/doctor/host_probe.h"
#include "shakedown/v1/cli_config.pb.h"

namespace shakedown::cli {

// Processors, memory, KVM, libvirt and QEMU, PostgreSQL, the builds' tools and sandbox, disk space
// at `state`, clock, frequency governor: one finding each. Changes nothing.
v1::DoctorReport ExamineHost(const HostProbe& probe, const std::string& state);

bool AnyBad(const v1::DoctorReport& report);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_DOCTOR_EXAMINE_H_
