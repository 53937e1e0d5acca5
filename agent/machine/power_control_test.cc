#include "agent/machine/power_control.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "agent/machine/power_wake.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PowerSpecTest, CommandsAndPackets) {
  const auto command = ParsePowerSpec("machine=x1 command=/usr/bin/plug  cycle machine=3 '$(x)'");
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->machine, "x1");
  EXPECT_THAT(command->command, ElementsAre("/usr/bin/plug", "cycle", "machine=3", "'$(x)'"));
  const auto wake = ParsePowerSpec("wol=aa:BB:cc:dd:ee:0f via=10.0.0.255:7 machine=x2");
  ASSERT_TRUE(wake.ok()) << wake.status();
  EXPECT_EQ(wake->wake, "aa:BB:cc:dd:ee:0f");
  EXPECT_EQ(wake->via, "10.0.0.255:7");
}

TEST(PowerSpecTest, BadOnesNameThePart) {
  for (const auto& [text, want] : std::vector<std::pair<std::string, std::string>>{
           {"command=/usr/bin/plug", "machine= is missing"},
           {"machine=x1", "want one of command= and wol="},
           {"machine=x1 wol=aa:bb:cc:dd:ee:ff command=/bin/true", "want one of"},
           {"machine=x1 command=plug", "an absolute path"},
           {"machine=../x command=/bin/true", "machine"},
           {"machine=x1 wol=aa:bb:cc:dd:ee", "want a hardware address"},
           {"machine=x1 wol=aa:bb:cc:dd:ee:fg", "want a hardware address"},
           {"machine=x1 wol=aa:bb:cc:dd:ee:ff via=here", "an IPv4 address and a port"},
           {"machine=x1 wol=aa:bb:cc:dd:ee:ff via=1.2.3.4:0", "an IPv4 address and a port"},
           {"machine=x1 relay=3", "machine=, command=, wol= or via="}}) {
    const absl::Status status = ParsePowerSpec(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(want)) << text;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(
      ParsePowerSpecs({"machine=x1 command=/bin/true", "machine=x1 command=/bin/false"}).status()));
}

TEST(CommandPowerTest, ItsEndIsTheAnswer) {
  const std::atomic<bool> go_on = false;
  EXPECT_EQ(MakeCommandPower({"/bin/true"})->Cycle(go_on), absl::OkStatus());
  const absl::Status failed =
      MakeCommandPower({"/bin/sh", "-c", "echo no plug at $0; exit 3", "10.0.0.9"})->Cycle(go_on);
  EXPECT_TRUE(absl::IsUnavailable(failed));
  EXPECT_EQ(failed.message(), "/bin/sh: exit code 3: no plug at 10.0.0.9");
  EXPECT_TRUE(absl::IsNotFound(MakeCommandPower({"/no/such"})->Cycle(go_on)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      MakeCommandPower({"/bin/sleep", "100"}, absl::Milliseconds(50))->Cycle(go_on)));
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(MakeCommandPower({"/bin/sleep", "100"})->Cycle(stop)));
}

TEST(WakePowerTest, SendsTheMagicPacket) {
  const Descriptor receiver(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(receiver.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t length = sizeof address;
  ASSERT_EQ(getsockname(receiver.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::atomic<bool> go_on = false;
  ASSERT_EQ(MakeWakePower("01:23:45:67:89:ab", absl::StrCat("127.0.0.1:", ntohs(address.sin_port)))
                ->Cycle(go_on),
            absl::OkStatus());
  char packet[200];
  ASSERT_EQ(recv(receiver.get(), packet, sizeof packet, 0), 102);
  EXPECT_EQ(std::string(packet, 102), *MagicPacket("01:23:45:67:89:ab"));
  EXPECT_EQ(std::string(packet, 12), "\xff\xff\xff\xff\xff\xff\x01\x23\x45\x67\x89\xab");
}

}  // namespace
}  // namespace shakedown::agent
