// Results that agents without machines report.
#ifndef SHAKEDOWN_TESTS_FAKES_BOOT_RESULTS_H_
#define SHAKEDOWN_TESTS_FAKES_BOOT_RESULTS_H_

#include <string>

#include "shakedown/v1/boot.pb.h"

namespace shakedown::fakes {

inline v1::BootResult EndedBoot(const v1::BootOrder& order, v1::Outcome outcome,
                                const std::string& reason) {
  v1::BootResult result;
  result.set_attempt_id(order.attempt_id());
  result.set_epoch(order.epoch());
  result.set_outcome(outcome);
  result.set_reason(reason);
  return result;
}

}  // namespace shakedown::fakes

#endif  // SHAKEDOWN_TESTS_FAKES_BOOT_RESULTS_H_
