#include "agent/machine/ended_boot.h"

#include "proto/wire/sanitise.h"

namespace shakedown::agent {

v1::BootResult EndedBoot(const v1::BootOrder& order, v1::Outcome outcome,
                         absl::string_view reason) {
  v1::BootResult result;
  result.set_attempt_id(order.attempt_id());
  result.set_epoch(order.epoch());
  result.set_outcome(outcome);
  result.set_reason(PrintableLine(reason, kMostReason));
  return result;
}

}  // namespace shakedown::agent
