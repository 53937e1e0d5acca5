// Why a boot has not begun.
#ifndef SHAKEDOWN_CONTROLLER_CLI_WHY_WAITS_H_
#define SHAKEDOWN_CONTROLLER_CLI_WHY_WAITS_H_

#include <string>

#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

// `boot`: one of `job`'s. "build of debian-6.12: compile 43%", "after 17.3A", "vm1 is
// busy: boots 16.2B". Of what `job` and `machines` show; empty for a boot that runs or has ended.
// Printable.
std::string WhyWaits(const v1::JobView& job, const v1::BootView& boot,
                     const v1::ListMachinesResponse& machines);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_WHY_WAITS_H_
