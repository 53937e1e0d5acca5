// A machine and a build slot without hardware: they wait for the test's word and give what it says.
#ifndef SHAKEDOWN_TESTS_FAKES_FAKE_MACHINE_H_
#define SHAKEDOWN_TESTS_FAKES_FAKE_MACHINE_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/build/build_slot.h"
#include "agent/machine/machine.h"

namespace shakedown::fakes {

// How work stands at a gate that the test holds. Thread-safe.
class Gate {
 public:
  // Work waits at the gate until Open() or its cancel flag.
  void Close();
  void Open();
  // In the work's thread. True: the gate is open. False: cancelled.
  bool Pass(const std::atomic<bool>* cancel);
  // How often work has come to the gate; waits until that is `count`. False after 20 s.
  bool WaitForArrivals(int count);
  int arrivals();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  int arrivals_ = 0;
};

class FakeMachine : public agent::Machine {
 public:
  using Script = std::function<absl::StatusOr<v1::BootResult>(
      const v1::BootOrder&, const agent::KernelFiles&, const agent::BootHooks&)>;

  explicit FakeMachine(std::string name);
  const agent::MachineInfo& Info() const override { return info_; }
  std::string Problem() const override;
  void SetProblem(const std::string& problem);
  // Passes the gate, then does as the script says; without one: MEASURED with one number.
  absl::StatusOr<v1::BootResult> RunBoot(const v1::BootOrder& order,
                                         const agent::KernelFiles& files,
                                         const agent::BootHooks& hooks) override;
  absl::Status CleanUp(const std::set<std::string>& open) override;

  Gate gate;
  Script script;          // Set before the work comes.
  absl::Status clean_up;  // What CleanUp() says.
  int clean_ups = 0;

 private:
  agent::MachineInfo info_;
  mutable std::mutex mutex_;
  std::string problem_;
};

class FakeBuildSlot : public agent::BuildSlot {
 public:
  using Script =
      std::function<agent::BuildOutcome(const v1::BuildOrder&, const agent::BuildHooks&)>;

  // Passes the gate, then does as the script says; without one: FAILED "no script".
  agent::BuildOutcome Run(const v1::BuildOrder& order, const agent::BuildHooks& hooks) override;
  absl::Status CheckSandbox() override { return sandbox; }
  absl::Status CleanUp() override;

  Gate gate;
  Script script;
  absl::Status sandbox;
  int clean_ups = 0;
};

// The result of a boot that measured `value`.
v1::BootResult Measured(const v1::BootOrder& order, double value);

}  // namespace shakedown::fakes

#endif  // SHAKEDOWN_TESTS_FAKES_FAKE_MACHINE_H_
