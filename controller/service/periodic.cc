#include "controller/service/periodic.h"

#include <spdlog/spdlog.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "proto/wire/sanitise.h"

namespace shakedown::service {

struct Periodic::State {
  std::string name;
  std::chrono::nanoseconds period;
  std::function<absl::Status()> work;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread thread;

  void Run() {
    std::string said;
    std::unique_lock<std::mutex> lock(mutex);
    while (!stopping) {
      lock.unlock();
      const absl::Status status = work();
      const bool told = status.ok() || absl::IsUnavailable(status);
      const std::string error = told ? "" : PrintableLine(status.message(), 1000);
      if (!error.empty() && error != said) spdlog::error("{}: {}", name, error);
      said = error;
      lock.lock();
      wake.wait_for(lock, period, [this] { return stopping; });
    }
  }
};

Periodic::Periodic(std::string name, absl::Duration period, std::function<absl::Status()> work)
    : state_(std::make_unique<State>()) {
  state_->name = std::move(name);
  state_->period = absl::ToChronoNanoseconds(period);
  state_->work = std::move(work);
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
}

Periodic::~Periodic() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
}

}  // namespace shakedown::service
