#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_ROUNDS_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_ROUNDS_H_

#include <array>
#include <cstdint>

#include "controller/history/bisect.h"

namespace shakedown::history {

// Blocks of a step's next round, when `done` rounds are over; 0: it has had all of its 24. The ends
// and the verification are looked at as any job is, after 8, 16 and 24 blocks. A candidate is
// looked at sooner: its odds allow it. All are multiples of 4, which the order of boots balances.
inline uint32_t BlocksOfRound(BisectTrial::Kind kind, uint32_t done) {
  constexpr std::array<uint32_t, 4> kCandidate = {4, 4, 8, 8};
  if (kind == BisectTrial::Kind::kCandidate) return done < kCandidate.size() ? kCandidate[done] : 0;
  return done < 3 ? 8 : 0;
}

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_ROUNDS_H_
