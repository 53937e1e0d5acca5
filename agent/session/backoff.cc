#include "agent/session/backoff.h"

#include <algorithm>
#include <utility>

namespace shakedown::agent {

bool IsRefusal(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnauthenticated ||
         status.code() == absl::StatusCode::kPermissionDenied;
}

Backoff::Backoff(BackoffLimits limits, Random random)
    : limits_(limits), random_(std::move(random)), step_(limits.first) {}

absl::Duration Backoff::Next(const absl::Status& error) {
  const absl::Duration whole = IsRefusal(error) ? limits_.refused : step_;
  if (!IsRefusal(error)) step_ = std::min(step_ * 2, limits_.last);
  return whole * (0.5 + random_() / 2);
}

void Backoff::Reset() { step_ = limits_.first; }

}  // namespace shakedown::agent
