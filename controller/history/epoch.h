// What must be the same around a kernel for its numbers to stand in one line with others'.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_EPOCH_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_EPOCH_H_

#include <map>
#include <string>

#include "google/protobuf/map.h"

namespace shakedown::history {

using Facts = std::map<std::string, std::string>;

// The hard and soft facts of a boot's fingerprint: another value of any begins another epoch. Left
// out are those of the subject (compare/comparability.h), those that a kernel decides by itself
// (clocksource: a kernel that gives up the TSC is no new epoch), and values that could not be read.
// The memory is the machine's, whatever part of it the kernel leaves: rounded up to 2^k or
// 3 * 2^k KiB. `tools`: versions of wrapped tools, by load.
Facts EpochFacts(const google::protobuf::Map<std::string, std::string>& fingerprint,
                 const Facts& tools);

// SHA-256 of them, 64 hex digits.
std::string EpochKey(const Facts& facts);

// "cpu.microcode 0x1 → 0x2; firmware 1.7 → (none)": what is other in `now`. Empty: nothing.
std::string WhatChanged(const Facts& before, const Facts& now);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_EPOCH_H_
