// The talk with the runner of a laptop that runs its test kernel: this process runs in it too.
#ifndef SHAKEDOWN_AGENT_MACHINE_LAPTOP_TALK_H_
#define SHAKEDOWN_AGENT_MACHINE_LAPTOP_TALK_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/machine/guest_link.h"
#include "agent/machine/machine.h"
#include "agent/machine/progress_teller.h"
#include "agent/machine/rest_gate.h"
#include "agent/machine/runner_session.h"
#include "proto/wire/clock.h"
#include "proto/wire/descriptor.h"

namespace shakedown::agent {

struct LaptopTalkOptions {
  absl::Duration uptime;   // Of the kernel, at the talk's start.
  absl::Duration silence;  // How long the runner may say nothing once it has said hello.
  absl::Duration tell;     // How long a load waits for the farm to hear that it is dark now.
  RestLimits rest;
  std::function<RestReading()> read_rest;
};

// Proves the kernel, waits before each load until the farm has heard of it and the machine is at
// rest, runs it in the dark. References outlive the talk.
class LaptopTalk {
 public:
  LaptopTalk(const v1::BootOrder& order, Descriptor connection, LaptopTalkOptions options,
             const BootHooks& hooks, Clock& clock);

  // Once. What became of the boot, also cancelled or the farm's failure; or Suspended().
  absl::StatusOr<v1::BootResult> Run();

 private:
  void Step();
  void StepRest();
  void SetDark(absl::Duration duration, const std::string& reason);
  bool Told() const { return !hooks_.told || hooks_.told(options_.tell); }
  std::optional<SessionEnd> End() const;
  absl::Duration Elapsed() const { return options_.uptime + clock_.Elapsed() - started_; }

  const v1::BootOrder order_;
  const LaptopTalkOptions options_;
  const BootHooks& hooks_;
  Clock& clock_;
  const absl::Duration started_;
  const absl::Duration deadline_;  // Of Elapsed(): later the daemon takes the boot for hung.
  const std::unique_ptr<GuestLink> runner_;
  RunnerSession session_;
  ProgressTeller progress_;
  std::optional<RestGate> gate_;
  absl::Duration next_reading_;
  bool farm_hears_ = true;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_LAPTOP_TALK_H_
