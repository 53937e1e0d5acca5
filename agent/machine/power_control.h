// The power of another machine, that it is switched off and on with when it does not come back.
#ifndef SHAKEDOWN_AGENT_MACHINE_POWER_CONTROL_H_
#define SHAKEDOWN_AGENT_MACHINE_POWER_CONTROL_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shakedown::agent {

// One owner, not thread-safe.
class PowerControl {
 public:
  virtual ~PowerControl() = default;
  // Off and on again, or on when it was off. Blocks for at most a few minutes. OK: done as far as
  // one can tell from here. Cancelled: `cancel` became true; nobody knows how far it came.
  virtual absl::Status Cycle(const std::atomic<bool>& cancel) = 0;
};

struct PowerSpec {
  std::string machine;
  std::vector<std::string> command;       // An argument vector; no shell reads it.
  std::string wake;                       // "aa:bb:cc:dd:ee:ff": by a magic packet.
  std::string via = "255.255.255.255:9";  // Where the packet goes: ADDRESS:PORT, UDP.
};

// "machine=x1 command=/usr/local/bin/plug cycle 3": all after the path are its arguments, as they
// are; or "machine=x1 wol=aa:bb:cc:dd:ee:ff via=192.168.1.255:9". InvalidArgument names the part.
absl::StatusOr<PowerSpec> ParsePowerSpec(absl::string_view text);

// InvalidArgument when two are for one machine.
absl::StatusOr<std::vector<PowerSpec>> ParsePowerSpecs(const std::vector<std::string>& texts);

// A command that ends with 0 when it has cycled the power: a smart plug's, ipmitool's. It gets an
// empty environment but for PATH, and `limit`.
std::unique_ptr<PowerControl> MakeCommandPower(std::vector<std::string> argv,
                                               absl::Duration limit = absl::Minutes(2));
// Wake-on-LAN: brings back a machine that is off, does nothing to one that hangs.
std::unique_ptr<PowerControl> MakeWakePower(std::string wake, std::string via);
std::unique_ptr<PowerControl> MakePower(const PowerSpec& spec);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_POWER_CONTROL_H_
