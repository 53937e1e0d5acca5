// What a person types: shakedown-laptop status, pause, refuse, stop, leave.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_COMMANDS_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_COMMANDS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/laptop/boot/host.h"
#include "shakedown/v1/laptop.pb.h"

namespace shakedown::laptop {

// Where things are.
struct LaptopPaths {
  std::string socket, refuse, owner, config, token, tls_ca;
  std::string state;        // Of the daemon.
  std::string agent_state;  // Of the agent.
};
// `root` stands before all; empty outside tests.
LaptopPaths PathsBelow(const std::string& root);

using Say = std::function<void(absl::string_view line)>;

// Asks the daemon; blocks, at most a minute. Unavailable: nobody listens there, with what to do.
// What the daemon refuses is an error with its code.
absl::StatusOr<v1::LaptopReply> AskDaemon(const std::string& socket,
                                          const v1::LaptopRequest& request);
absl::Status Command(const LaptopPaths& paths, const v1::OwnerCommand& command);

// For people, some lines.
std::string StatusText(const v1::LaptopStatus& status, absl::TimeZone zone);
std::string StatusJson(const v1::LaptopStatus& status);

// "22:30" (the next one), "2027-01-31" or "2027-01-31 22:30": local time, as Unix seconds. "": 0.
absl::StatusOr<int64_t> ParseUntil(absl::string_view text, absl::Time now, absl::TimeZone zone);

// By the daemon; who has no right to ask it writes to the pipe that is everybody's.
absl::Status RefuseReboot(const LaptopPaths& paths);

// By the daemon. Without one: in a test kernel the machine is rebooted, which is the way home, for
// the one-shot entry is spent.
absl::Status StopNow(const LaptopPaths& paths, Host& host);

// Undoes all, without a network: the daemon gives up its boot, both units are disabled and
// stopped, `undo` takes back what a daemon that did not answer has left, then token, configuration,
// rules and state go. FailedPrecondition in a test kernel: nothing is changed then.
absl::Status LeaveFarm(const LaptopPaths& paths, Host& host,
                       const std::function<absl::Status()>& undo, const Say& say);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_COMMANDS_H_
