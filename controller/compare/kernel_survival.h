#pragma once

#include "shakedown/v1/boot.pb.h"

namespace shakedown::compare {

// What says something of whether the kernel lives: it was measured, or it failed by itself. Not a
// kernel that was never built or never proven to be the one asked for.
inline bool TellsOfSurvival(v1::Outcome outcome, bool* failed) {
  switch (outcome) {
    case v1::OUTCOME_MEASURED:
      *failed = false;
      return true;
    case v1::OUTCOME_BOOT_FAILED:
    case v1::OUTCOME_PANICKED:
    case v1::OUTCOME_HUNG:
    case v1::OUTCOME_SCHEDULER_EJECTED:
    case v1::OUTCOME_LOAD_FAILED:
      *failed = true;
      return true;
    default:
      return false;
  }
}

}  // namespace shakedown::compare
