// The agent's side of the talk with shakedown-laptop, the root's part of a laptop's agent
// (proto/shakedown/v1/laptop.proto).
#ifndef SHAKEDOWN_AGENT_MACHINE_LAPTOP_CLIENT_H_
#define SHAKEDOWN_AGENT_MACHINE_LAPTOP_CLIENT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/wire/descriptor.h"
#include "shakedown/v1/laptop.pb.h"

namespace shakedown::agent {

// What the daemon says to a request. Its texts are cleaned: one line each.
struct LaptopAnswer {
  absl::Status refusal;  // Its error, with its code; OK: done.
  v1::LaptopStatus status;
  v1::CollectedBoot collected;
  Descriptor connection;  // After OpenRunner without a refusal: carries the runner's frames.
};

// Thread-safe: each request has a connection of its own.
class LaptopClient {
 public:
  explicit LaptopClient(std::string socket) : socket_(std::move(socket)) {}

  // Unavailable: nobody listens, with what to do; or the daemon ended in the middle.
  // PermissionDenied: this user may not talk to it. DataLoss: what came is no reply.
  // DeadlineExceeded: none came within `limit`. Cancelled: `give_up` (looked at every 100 ms; null:
  // never) said so; the request may have been done then, as after the others but the first two.
  absl::StatusOr<LaptopAnswer> Ask(const v1::LaptopRequest& request, absl::Duration limit,
                                   const std::function<bool()>& give_up) const;

 private:
  absl::StatusOr<Descriptor> Connect() const;

  const std::string socket_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_LAPTOP_CLIENT_H_
