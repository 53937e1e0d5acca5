#include "tests/fakes/fake_machine.h"

#include <chrono>
#include <utility>

namespace shakedown::fakes {

void Gate::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
}

void Gate::Open() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = false;
  }
  changed_.notify_all();
}

bool Gate::Pass(const std::atomic<bool>* cancel) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++arrivals_;
  changed_.notify_all();
  // The flag has no notification, as with a real machine.
  while (closed_ && !cancel->load()) changed_.wait_for(lock, std::chrono::milliseconds(5));
  return !cancel->load();
}

bool Gate::WaitForArrivals(int count) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return arrivals_ >= count; });
}

int Gate::arrivals() {
  std::lock_guard<std::mutex> lock(mutex_);
  return arrivals_;
}

FakeMachine::FakeMachine(std::string name) {
  info_.name = std::move(name);
  info_.tags = {"fake"};
  info_.facts = {{"vcpus", "2"}};
}

std::string FakeMachine::Problem() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return problem_;
}

void FakeMachine::SetProblem(const std::string& problem) {
  std::lock_guard<std::mutex> lock(mutex_);
  problem_ = problem;
}

absl::StatusOr<v1::BootResult> FakeMachine::RunBoot(const v1::BootOrder& order,
                                                    const agent::KernelFiles& files,
                                                    const agent::BootHooks& hooks) {
  hooks.progress("booting", 0.1f);
  if (!gate.Pass(hooks.cancel)) {
    v1::BootResult result;
    result.set_attempt_id(order.attempt_id());
    result.set_epoch(order.epoch());
    result.set_outcome(v1::OUTCOME_CANCELLED);
    result.set_reason("cancelled");
    return result;
  }
  return script ? script(order, files, hooks) : Measured(order, 1.5);
}

absl::Status FakeMachine::CleanUp(const std::set<std::string>&) {
  ++clean_ups;
  return clean_up;
}

agent::BuildOutcome FakeBuildSlot::Run(const v1::BuildOrder& order,
                                       const agent::BuildHooks& hooks) {
  hooks.progress("compiling", 0.1f);
  const bool open = gate.Pass(hooks.cancel);
  if (open && script) return script(order, hooks);
  agent::BuildOutcome outcome;
  outcome.result.set_build_id(order.build_id());
  outcome.result.set_epoch(order.epoch());
  outcome.result.set_status(open ? v1::BuildResult::STATUS_FAILED
                                 : v1::BuildResult::STATUS_CANCELLED);
  outcome.result.set_error(open ? "no script" : "cancelled");
  return outcome;
}

absl::Status FakeBuildSlot::CleanUp() {
  ++clean_ups;
  return absl::OkStatus();
}

v1::BootResult Measured(const v1::BootOrder& order, double value) {
  v1::BootResult result;
  result.set_attempt_id(order.attempt_id());
  result.set_epoch(order.epoch());
  result.set_outcome(v1::OUTCOME_MEASURED);
  v1::Measurement& measurement = *result.add_load_runs()->add_measurements();
  measurement.set_metric("make.real");
  measurement.set_unit("s");
  measurement.set_value(value);
  measurement.set_iteration(1);
  return result;
}

}  // namespace shakedown::fakes
