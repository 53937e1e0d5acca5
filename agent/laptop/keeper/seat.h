// Who sits at the machine: told before a reboot, asked for by idle rules, heard when they object.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_SEAT_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_SEAT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

// One owner, not thread-safe. Each call takes some seconds at most.
class Seat {
 public:
  virtual ~Seat() = default;
  // Tells everybody who is logged in, in a terminal or at a desktop, as far as it can.
  virtual void Tell(const std::string& text) = 0;
  // How long nobody has touched the machine; InfiniteDuration(): not since it was started.
  virtual absl::StatusOr<absl::Duration> Idle() = 0;
  // Programs that ask for no shutdown now, as "apt: upgrading packages". Empty: none.
  virtual absl::StatusOr<std::vector<std::string>> Blockers() = 0;
};

// By wall, notify-send and systemd-logind. `run_user`: /run/user. The host outlives it.
std::unique_ptr<Seat> MakeLogindSeat(Host& host, std::string run_user = "/run/user");

// Of busctl --json=short, in lines: get-property … IdleHint IdleSinceHint. DataLoss: it is not.
absl::StatusOr<absl::Duration> ParseIdle(absl::string_view json, absl::Time now);
// Of ListInhibitors. Only those that block a shutdown; at most 20, sanitised.
absl::StatusOr<std::vector<std::string>> ParseBlockers(absl::string_view json);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_SEAT_H_
