// The socket of shakedown-laptop: frames in, the keeper asked, frames out; a runner's frames passed
// through its gate.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_SERVER_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/laptop/keeper/keeper.h"
#include "proto/wire/clock.h"

namespace shakedown::laptop {

inline constexpr char kSocket[] = "/run/shakedown/laptop.sock";
// A pipe that any person at the machine may write to: any byte refuses the reboot that is counted
// down.
inline constexpr char kRefusePipe[] = "/run/shakedown/refuse";

struct ServerOptions {
  std::string socket = kSocket;  // Mode 0660. What was there is replaced.
  std::string refuse = kRefusePipe;
  uid_t root = 0;              // Whose commands are the owner's.
  std::optional<uid_t> agent;  // Who else may connect.
  std::optional<gid_t> group;  // The socket's.
};

inline constexpr size_t kMostConnections = 8;
// A connection that has asked for nothing for so long is closed.
inline constexpr absl::Duration kIdleLimit = absl::Minutes(1);
// Bytes that wait for one who does not read: then nothing more is taken for them.
inline constexpr size_t kMostWaiting = 4 << 20;

// Others than root and the agent get one refusal and are closed, by SO_PEERCRED. A connection whose
// bytes are no frames, or that says something else than it should, is closed. One owner, not
// thread-safe.
class Server {
 public:
  virtual ~Server() = default;
  // One round: waits at most `wait` for something to happen, answers it, lets the keeper's time
  // pass.
  virtual void Step(absl::Duration wait) = 0;
};

// References outlive the server. The folder of the socket is made (0755) when it is not there.
absl::StatusOr<std::unique_ptr<Server>> Listen(ServerOptions options, Keeper& keeper, Clock& clock);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_SERVER_H_
