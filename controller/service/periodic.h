#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace shakedown::service {

// A thread that calls `work` every `period`, the first time at once, until it is destroyed, which
// waits for the call under way. What goes wrong is logged with `name`, the same error once; a
// database that is away is the janitor's to tell.
class Periodic {
 public:
  Periodic(std::string name, absl::Duration period, std::function<absl::Status()> work);
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shakedown::service
