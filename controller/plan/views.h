// What plans, the farm's answers and the command read from views alike.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "shakedown/v1/farm.pb.h"

namespace shakedown::plan {

// (block, variant) → the latest attempt. Points into `job`.
using LastAttempts = std::map<std::pair<uint32_t, uint32_t>, const v1::BootView*>;
LastAttempts LastAttemptsOf(const v1::JobView& job);

// Whether `machine` meets every condition.
bool Meets(const v1::MachineView& machine, const v1::MachineSelector& selector);

}  // namespace shakedown::plan
