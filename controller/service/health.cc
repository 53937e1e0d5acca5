#include "controller/service/health.h"

#include <utility>

namespace shakedown::service {

HealthKeeper::HealthKeeper(store::Database& database, absl::Duration every,
                           std::function<void(bool)> tell)
    : database_(database), tell_(std::move(tell)), thread_([this, every] { Run(every); }) {}

HealthKeeper::~HealthKeeper() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
  tell_(false);
}

void HealthKeeper::Run(absl::Duration every) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const bool answers = database_.Ping().ok();
    tell_(answers);
    lock.lock();
    stop_.wait_for(lock, absl::ToChronoNanoseconds(every), [this] { return stopping_; });
  }
}

}  // namespace shakedown::service
