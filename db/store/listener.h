// A hint that something changed in the farm, from any controller on the same database.
#ifndef SHAKEDOWN_DB_STORE_LISTENER_H_
#define SHAKEDOWN_DB_STORE_LISTENER_H_

#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "db/store/database.h"

namespace shakedown::store {

// Listens on a connection and a thread of its own, which it opens again when they break. A hint
// only: one may be lost, so a waiter looks again when its own limit passes. Heartbeats, progress
// and log bytes give no hint. Thread-safe; any number of waiters.
//
//   uint64_t seen = listener.counter();
//   while (nothing to say yet) seen = listener.Wait(seen, absl::Seconds(2));
class Listener {
 public:
  explicit Listener(const DatabaseOptions& options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Grows by at least one with every batch of changes.
  uint64_t counter() const;
  // Blocks until counter() differs from `seen`, `limit` has passed, or Stop(). Returns the counter.
  uint64_t Wait(uint64_t seen, absl::Duration limit);
  // Lets every waiter go, now and later. For the end of the process.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_LISTENER_H_
