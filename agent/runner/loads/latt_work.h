// The pure parts of latt: when it wakes its clients, and what a client works on.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_WORK_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_WORK_H_

#include <stdlib.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace shakedown::runner {

// The pauses between two rounds: min + width * U, U from the C library's rand() seeded with 1234:
// the same sequence in every run. Default 100 and 500: 211 208 323 346 384 336 337 116 … ms.
class SleepSequence {
 public:
  SleepSequence(uint32_t min_ms, uint32_t width_ms);
  SleepSequence(const SleepSequence&) = delete;
  uint32_t NextMs();

 private:
  uint32_t min_ms_;
  uint32_t width_ms_;
  char state_[128] = {};  // 128 bytes make it the generator behind rand().
  random_data random_ = {};
};

// One client's work: a buffer of `bytes` filled with 32-bit numbers, each 15 bits of the ANSI C
// sample generator (which goes on over the items), deflated at level 7 in one go. The time it takes
// depends on the zlib that is linked in.
class WorkItem {
 public:
  explicit WorkItem(size_t bytes) : bytes_(bytes) {}
  // The size it was deflated to; 0 when zlib failed or memory was short.
  size_t Do();
  uint32_t NextRandom();

 private:
  size_t bytes_;
  uint32_t state_ = 1;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_WORK_H_
