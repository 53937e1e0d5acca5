// One boot of one virtual machine, from its overlay to its end.
#ifndef SHAKEDOWN_AGENT_MACHINE_BOOT_RUN_H_
#define SHAKEDOWN_AGENT_MACHINE_BOOT_RUN_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/console/capture.h"
#include "agent/console/watcher.h"
#include "agent/machine/domain_spec.h"
#include "agent/machine/guest_link.h"
#include "agent/machine/host_watch.h"
#include "agent/machine/hypervisor.h"
#include "agent/machine/judge.h"
#include "agent/machine/machine.h"
#include "agent/machine/progress_teller.h"
#include "agent/machine/runner_session.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

// Starts the machine of `spec`, talks with its runner, and says what became of it. The overlay is
// there. The domain and the sockets are removed at the end in every case. References outlive the
// run.
class BootRun {
 public:
  BootRun(const v1::BootOrder& order, DomainSpec spec, bool open_sockets, absl::Duration silence,
          const BootHooks& hooks, HostWatch host, Hypervisor& hypervisor, Clock& clock);

  // As Machine::RunBoot: a result, or a status that means the farm failed. Once.
  absl::StatusOr<v1::BootResult> Run();

 private:
  absl::Status Start();
  absl::StatusOr<SessionEnd> Watch();
  void Step(int wait_ms);  // Moves bytes for at most so long.
  void TakeConsole();
  void Linger();  // After an alarm: the rest of what the kernel says.
  void PowerOff();
  absl::StatusOr<Sight> Look();
  absl::Duration Elapsed() const { return clock_.Elapsed() - started_; }
  bool Cancelled() const { return hooks_.Cancelled(); }
  v1::BootResult ResultOf(const SessionEnd& end);

  const v1::BootOrder& order_;
  const DomainSpec spec_;
  const bool open_sockets_;
  const BootHooks& hooks_;
  HostWatch host_;
  Hypervisor& hypervisor_;
  Clock& clock_;
  RunnerSession session_;
  console::Capture capture_;
  console::Watcher watcher_;
  std::unique_ptr<GuestLink> console_, runner_;
  absl::Duration started_;
  absl::Duration next_look_;
  DomainState domain_ = DomainState::kRunning;
  ProgressTeller progress_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_BOOT_RUN_H_
