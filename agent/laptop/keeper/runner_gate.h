// What of the agent's words reaches the runner, which is root: only what the installed order says.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_GATE_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_GATE_H_

#include <cstdint>
#include <set>

#include "absl/status/statusor.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::laptop {

// For one boot. Pure. One owner, not thread-safe.
class RunnerGate {
 public:
  explicit RunnerGate(const v1::BootOrder& order) : order_(order) {}

  // The request to pass on, made from the order: equal to `asked` in every field, known or not.
  // PermissionDenied: it is not part of the order (another load, tunable, setup, limit, a load for
  // the second time, power off), naming what differs. InvalidArgument: of no kind.
  absl::StatusOr<v1::RunnerRequest> Admit(const v1::RunnerRequest& asked);

  // What the runner has answered: a calibration is what loads may burn then.
  void Observe(const v1::RunnerEvent& event);

 private:
  absl::StatusOr<v1::RunnerRequest> Expect(const v1::RunnerRequest& asked) const;
  absl::Status ExpectLoad(const v1::RunLoad& asked, v1::RunLoad& expected) const;

  const v1::BootOrder order_;
  std::set<uint32_t> begun_;       // Loads.
  std::set<uint64_t> calibrated_;  // Loops per ms that the runner has measured.
  uint32_t calibrations_ = 0;
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_GATE_H_
