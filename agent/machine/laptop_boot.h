// One order of a laptop, from wherever shakedown-laptop says that it stands to its result. The
// daemon's transaction is the memory: this process ends with every reboot, and the next one asks.
#ifndef SHAKEDOWN_AGENT_MACHINE_LAPTOP_BOOT_H_
#define SHAKEDOWN_AGENT_MACHINE_LAPTOP_BOOT_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/machine/laptop_client.h"
#include "agent/machine/laptop_machine.h"
#include "agent/machine/machine.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

// References outlive the boot. Not thread-safe.
class LaptopBoot {
 public:
  LaptopBoot(const v1::BootOrder& order, const LaptopMachineOptions& options,
             const LaptopClient& client, const BootHooks& hooks, Clock& clock);

  // As Machine::RunBoot, HasBegun and Concluded.
  absl::StatusOr<v1::BootResult> Run(const KernelFiles& files);
  absl::StatusOr<bool> HasBegun();
  absl::Status Conclude();

  // While loads run: the daemon is not to be asked by others then.
  std::function<void(bool)> measuring;

 private:
  using Result = absl::StatusOr<std::optional<v1::BootResult>>;  // Nothing: look again.

  bool IsOurs(const v1::LaptopStatus& status) const;
  absl::StatusOr<v1::LaptopStatus> Look();
  absl::StatusOr<LaptopAnswer> Ask(const v1::LaptopRequest& request);
  absl::StatusOr<LaptopAnswer> AskToRestore(const std::string& attempt_id);
  Result Step(const v1::LaptopStatus& status, const KernelFiles& files);
  Result Install(const v1::LaptopStatus& status, const KernelFiles& files);
  Result Leave(const v1::LaptopStatus& status);
  Result WaitForReboot();
  Result Measure(const v1::LaptopStatus& status);
  Result Collect();
  Result ForgetOther(const v1::LaptopStatus& status);
  Result TakeBack(v1::BootResult result);
  absl::StatusOr<v1::BootResult> ResultInTest(const v1::LaptopStatus& status);
  absl::Status Keep(v1::BootResult result);
  Result GoHome();
  void DarkForTest();
  void Dark(absl::Duration duration, const std::string& reason);
  v1::BootResult Ended(v1::Outcome outcome, absl::string_view reason) const;
  void Say(absl::string_view phase, float fraction) const;

  const v1::BootOrder& order_;
  const LaptopMachineOptions& options_;
  const LaptopClient& client_;
  const BootHooks& hooks_;
  Clock& clock_;
  bool begun_ = false;  // Some stage of ours has been seen.
  bool asked_to_leave_ = false;
  bool asked_for_runner_ = false;
  bool kept_ = false;
  bool cancel_refused_ = false;
  std::optional<absl::Duration> waits_since_;  // For a reboot.
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_LAPTOP_BOOT_H_
