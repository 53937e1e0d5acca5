#include "agent/machine/power_wake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/machine/power_control.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

absl::StatusOr<sockaddr_in> ParseVia(absl::string_view via) {
  const std::vector<std::string> parts = absl::StrSplit(via, ':');
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  uint32_t port = 0;
  if (parts.size() != 2 || inet_pton(AF_INET, parts[0].c_str(), &address.sin_addr) != 1 ||
      !absl::SimpleAtoi(parts[1], &port) || port == 0 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("via=", Quoted(via), ": want an IPv4 address and a port, as 192.168.1.255:9"));
  }
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

class WakePower : public PowerControl {
 public:
  WakePower(std::string wake, std::string via) : wake_(std::move(wake)), via_(std::move(via)) {}

  absl::Status Cycle(const std::atomic<bool>&) override {
    ASSIGN_OR_RETURN(const std::string packet, MagicPacket(wake_));
    ASSIGN_OR_RETURN(const sockaddr_in address, ParseVia(via_));
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    if (socket.get() < 0 ||
        setsockopt(socket.get(), SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes) != 0 ||
        sendto(socket.get(), packet.data(), packet.size(), 0,
               reinterpret_cast<const sockaddr*>(&address),
               sizeof address) != static_cast<ssize_t>(packet.size())) {
      return ErrnoStatus(errno, absl::StrCat("wake ", wake_, " via ", via_));
    }
    return absl::OkStatus();
  }

 private:
  const std::string wake_, via_;
};

}  // namespace

absl::StatusOr<std::string> MagicPacket(absl::string_view address) {
  const std::vector<std::string> parts = absl::StrSplit(address, ':');
  const bool good = parts.size() == 6 && std::all_of(parts.begin(), parts.end(), [](const auto& p) {
                      return p.size() == 2 &&
                             absl::ascii_isxdigit(static_cast<unsigned char>(p[0])) &&
                             absl::ascii_isxdigit(static_cast<unsigned char>(p[1]));
                    });
  if (!good) {
    return absl::InvalidArgumentError(
        absl::StrCat("wol=", Quoted(address), ": want a hardware address, as aa:bb:cc:dd:ee:ff"));
  }
  const std::string bytes = absl::HexStringToBytes(absl::StrJoin(parts, ""));
  std::string packet(6, '\xff');
  for (int i = 0; i < 16; ++i) packet += bytes;
  return packet;
}

absl::Status CheckVia(absl::string_view via) { return ParseVia(via).status(); }

std::unique_ptr<PowerControl> MakeWakePower(std::string wake, std::string via) {
  return std::make_unique<WakePower>(std::move(wake), std::move(via));
}

}  // namespace shakedown::agent
