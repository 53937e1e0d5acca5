#include "controller/service/dispatcher.h"

#include <algorithm>
#include <utility>

namespace shakedown::service {
namespace {

constexpr std::chrono::milliseconds kHintPause(100);

}  // namespace

Dispatcher::Dispatcher(size_t threads, size_t max_queue) : max_queue_(max_queue) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

Dispatcher::~Dispatcher() {
  BeginStop();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Dispatcher::TryRun(Task task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue_.size() >= max_queue_) return false;
  queue_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

void Dispatcher::Run(Task task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  queue_.push_back(std::move(task));
  wake_.notify_one();
}

void Dispatcher::RunLater(absl::Duration delay, std::optional<uint64_t> hints_seen, Task task) {
  const Time now = std::chrono::steady_clock::now();
  const std::lock_guard<std::mutex> lock(mutex_);
  Time due = now + absl::ToChronoNanoseconds(delay);
  const Time earliest = now + kHintPause;
  if (hints_seen && *hints_seen != hints_) due = std::min(due, earliest);
  later_.emplace(stopping_ ? now : due, Later{earliest, hints_seen.has_value(), std::move(task)});
  wake_.notify_one();
}

void Dispatcher::Hint() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++hints_;
  std::multimap<Time, Later> moved;
  for (auto& [due, later] : later_) {
    moved.emplace(later.on_hint ? std::min(due, later.earliest) : due, std::move(later));
  }
  later_ = std::move(moved);
  wake_.notify_all();
}

uint64_t Dispatcher::hints() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return hints_;
}

void Dispatcher::BeginStop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
  for (auto& [due, later] : later_) queue_.push_back(std::move(later.task));
  later_.clear();
  wake_.notify_all();
}

bool Dispatcher::stopping() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

void Dispatcher::TakeDue(Time now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    queue_.push_back(std::move(later_.begin()->second.task));
    later_.erase(later_.begin());
  }
}

void Dispatcher::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    TakeDue(std::chrono::steady_clock::now());
    if (!queue_.empty()) {
      const Task task = std::move(queue_.front());
      queue_.pop_front();
      if (!queue_.empty()) wake_.notify_one();
      lock.unlock();
      task();
      lock.lock();
    } else if (ending_ && later_.empty()) {
      return;
    } else if (later_.empty()) {
      wake_.wait(lock);
    } else {
      const Time due = later_.begin()->first;
      wake_.wait_until(lock, due);
    }
  }
}

}  // namespace shakedown::service
