#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/time/time.h"

namespace shakedown::service {

// A few threads on which calls do their blocking work (database, disk), so that hundreds of calls
// that only wait need none. Thread-safe.
class Dispatcher {
 public:
  using Task = std::function<void()>;

  // TryRun() refuses when `max_queue` tasks wait for a thread.
  Dispatcher(size_t threads, size_t max_queue);
  // BeginStop(), then waits for the tasks.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // For a call that begins. False: too many wait; the task is not taken.
  bool TryRun(Task task);
  // For a call that goes on; never refused.
  void Run(Task task);
  // As Run, after `delay`; at once when stopping. With `hints_seen`, as from hints() before the
  // caller looked for news: already after the next Hint() since then, but not sooner than 100 ms
  // from now, so that a busy farm does not make every waiter look all the time.
  void RunLater(absl::Duration delay, std::optional<uint64_t> hints_seen, Task task);

  // Something has changed in the farm.
  void Hint();
  uint64_t hints() const;

  // From now on nothing waits: tasks put off run at once, so that they can end their calls.
  void BeginStop();
  bool stopping() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Later {
    Time earliest;  // On a hint.
    bool on_hint;
    Task task;
  };
  void Work();
  // Moves to the queue what is due. Needs the lock.
  void TakeDue(Time now);

  const size_t max_queue_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::multimap<Time, Later> later_;  // By due time.
  uint64_t hints_ = 0;
  bool stopping_ = false;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace shakedown::service
