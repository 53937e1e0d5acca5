// How long to wait before asking a farm again that did not answer.
#ifndef SHAKEDOWN_AGENT_SESSION_BACKOFF_H_
#define SHAKEDOWN_AGENT_SESSION_BACKOFF_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace shakedown::agent {

struct BackoffLimits {
  absl::Duration first = absl::Seconds(1);
  absl::Duration last = absl::Seconds(30);
  // When the farm does not know us: nothing changes until a person does something.
  absl::Duration refused = absl::Seconds(60);
};

// A number in [0, 1), a new one at each call.
using Random = std::function<double()>;

// True when the farm answered that this agent or its token is not welcome.
bool IsRefusal(const absl::Status& status);

// One owner, not thread-safe.
class Backoff {
 public:
  Backoff(BackoffLimits limits, Random random);
  // Grows twofold with each call up to the last limit; from half to the whole of it, by chance, so
  // that agents that lost one controller do not come back all at once.
  absl::Duration Next(const absl::Status& error);
  void Reset();

 private:
  const BackoffLimits limits_;
  const Random random_;
  absl::Duration step_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_BACKOFF_H_
