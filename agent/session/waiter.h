// A sleep that another thread can cut short.
#ifndef SHAKEDOWN_AGENT_SESSION_WAITER_H_
#define SHAKEDOWN_AGENT_SESSION_WAITER_H_

#include <functional>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shakedown::agent {

// Thread-safe; one thread waits.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // Returns after `duration`, or as soon as Notify() is called; at once when it was called since
  // the last Wait().
  virtual void Wait(absl::Duration duration) = 0;
  virtual void Notify() = 0;
};

// On the machine's monotonic clock.
std::unique_ptr<Waiter> MakeWaiter();

// Makes the waiter of one thread ("sync", "reporter", "logs"): tests give their own.
using WaiterFactory = std::function<std::unique_ptr<Waiter>(absl::string_view who)>;

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_WAITER_H_
