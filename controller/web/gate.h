#pragma once

#include <semaphore>

#include "absl/time/time.h"

namespace shakedown::web {

// Lets a number of callers at a time at the database, so that many connections leave room for the
// agents' calls. Thread-safe.
class Gate {
 public:
  explicit Gate(int callers) : free_(callers) {}

  // Held while it lives, when entered().
  class Pass {
   public:
    explicit Pass(std::counting_semaphore<>* gate) : gate_(gate) {}
    ~Pass() {
      if (gate_ != nullptr) gate_->release();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    bool entered() const { return gate_ != nullptr; }

   private:
    std::counting_semaphore<>* const gate_;
  };
  Pass Enter(absl::Duration patience) {
    return Pass(free_.try_acquire_for(absl::ToChronoMilliseconds(patience)) ? &free_ : nullptr);
  }

 private:
  std::counting_semaphore<> free_;
};

}  // namespace shakedown::web
