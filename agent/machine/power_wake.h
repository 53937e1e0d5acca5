// Wake-on-LAN's packet. Pure; used by power_control.cc.
#ifndef SHAKEDOWN_AGENT_MACHINE_POWER_WAKE_H_
#define SHAKEDOWN_AGENT_MACHINE_POWER_WAKE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

// Six bytes of 0xff and sixteen times the address (AMD, "Magic Packet Technology", 1995).
// `address`: "aa:bb:cc:dd:ee:ff". InvalidArgument: not of that form.
absl::StatusOr<std::string> MagicPacket(absl::string_view address);

// InvalidArgument unless it is an IPv4 address and a port: "192.168.1.255:9".
absl::Status CheckVia(absl::string_view via);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_POWER_WAKE_H_
