#pragma once

#include "absl/time/time.h"

namespace shakedown::service {

// The end of the process as something to wait for. Made in main() before any thread, so that all
// threads inherit the blocked signals. SIGPIPE is ignored.
class EndSignal {
 public:
  EndSignal();
  // True when SIGTERM or SIGINT has come, now or earlier; false when `limit` passed without.
  bool Wait(absl::Duration limit);

 private:
  bool came_ = false;
};

}  // namespace shakedown::service
