#include "agent/session/waiter.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace shakedown::agent {
namespace {

class ConditionWaiter : public Waiter {
 public:
  void Wait(absl::Duration duration) override {
    // A bound that std::chrono can add to now.
    const auto bounded = absl::ToChronoMilliseconds(std::min(duration, absl::Hours(24)));
    std::unique_lock<std::mutex> lock(mutex_);
    condition_.wait_for(lock, bounded, [this] { return notified_; });
    notified_ = false;
  }

  void Notify() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      notified_ = true;
    }
    condition_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool notified_ = false;
};

}  // namespace

std::unique_ptr<Waiter> MakeWaiter() { return std::make_unique<ConditionWaiter>(); }

}  // namespace shakedown::agent
