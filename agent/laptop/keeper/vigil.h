// What keeps the test kernel awake and lets nothing hang for ever: only while it runs, gone with
// its reboot.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_VIGIL_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_VIGIL_H_

#include <memory>
#include <string>
#include <vector>

#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

// One owner, not thread-safe.
class Vigil {
 public:
  virtual ~Vigil() = default;
  // In the test kernel: nothing suspends; the hardware watchdog resets a machine whose systemd
  // hangs; this daemon's end or silence reboots it, so the unit that waits for the daemon may go.
  // Each in turn; what could not be done, a line
  // each (a machine may have no watchdog).
  virtual std::vector<std::string> Begin() = 0;
  // Says that the daemon lives; called at least every kBeat.
  virtual void Beat() = 0;
  // The daemon is ready for requests (sd_notify).
  virtual void Ready(const std::string& status) = 0;
};

// deploy/systemd: reboots a test kernel in which nobody has stopped it for 15 minutes.
inline constexpr char kWayHomeUnit[] = "shakedown-way-home.service";
inline constexpr absl::Duration kBeat = absl::Seconds(15);
// Silence of this daemon, in the test kernel. Above what an install, which blocks, may take.
inline constexpr absl::Duration kDaemonWatchdog = absl::Minutes(2);
inline constexpr absl::Duration kMachineWatchdog = absl::Minutes(1);

// By systemd: masked sleep targets, an inhibitor, RuntimeWatchdogUSec, a drop-in in
// `run`/systemd/system for shakedown-laptop.service. `notify_socket`: $NOTIFY_SOCKET; empty: none.
std::unique_ptr<Vigil> MakeSystemdVigil(Host& host, std::string notify_socket,
                                        std::string run = "/run");

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_VIGIL_H_
