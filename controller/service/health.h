#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "db/store/database.h"

namespace shakedown::service {

// Tells, again and again, whether the controller can do anything: whether its database answers. A
// thread of its own, so that a busy dispatcher is not taken for a lost database. `database`
// outlives it.
class HealthKeeper {
 public:
  // `tell` is called in its thread, first as soon as the database has answered or failed to.
  HealthKeeper(store::Database& database, absl::Duration every, std::function<void(bool)> tell);
  // Tells false, then waits for the thread: as long as a lost database may take to be one.
  ~HealthKeeper();
  HealthKeeper(const HealthKeeper&) = delete;

 private:
  void Run(absl::Duration every);

  store::Database& database_;
  const std::function<void(bool)> tell_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace shakedown::service
