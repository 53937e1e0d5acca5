#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "agent/laptop/keeper/noting_host.h"
#include "agent/laptop/keeper/vigil.h"
#include "agent/runner/setup/fake_root.h"
#include "proto/wire/descriptor.h"

namespace shakedown::laptop {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A socket as systemd's.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : fd_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  std::string Next() {
    char text[256];
    const ssize_t got = recv(fd_.get(), text, sizeof text, MSG_DONTWAIT);
    return got < 0 ? "" : std::string(text, static_cast<size_t>(got));
  }

 private:
  Descriptor fd_;
};

TEST(SystemdVigilTest, KeepsATestKernelAwakeAndWatched) {
  runner::FakeRoot root;
  FakeClock clock;
  NotingHost host(clock);
  NotifySocket socket(root.path() + "/notify");
  const auto vigil = MakeSystemdVigil(host, root.path() + "/notify", root.path() + "/run");
  EXPECT_THAT(vigil->Begin(), IsEmpty());
  EXPECT_THAT(host.tools, Contains(HasSubstr("mask --runtime sleep.target suspend.target")));
  EXPECT_THAT(host.tools, Contains(HasSubstr("systemd-inhibit --what=sleep:idle")));
  EXPECT_THAT(host.tools, Contains(HasSubstr("RuntimeWatchdogUSec t 60000000")));
  ASSERT_GE(host.tools.size(), 2u);
  EXPECT_EQ(host.tools[host.tools.size() - 2], "systemctl daemon-reload");
  EXPECT_EQ(host.tools.back(), "systemctl stop --no-block shakedown-way-home.service");
  EXPECT_THAT(root.Get("/run/systemd/system/shakedown-laptop.service.d/50-test-kernel.conf"),
              HasSubstr("FailureAction=reboot-force\n[Service]\nRestart=no\n"));
  EXPECT_EQ(socket.Next(), "WATCHDOG_USEC=120000000");
  vigil->Beat();
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
  vigil->Ready("waits");
  EXPECT_EQ(socket.Next(), "READY=1\nSTATUS=waits");
}

TEST(SystemdVigilTest, WhatCanNotBeDoneIsSaidAndTheRestIsDone) {
  runner::FakeRoot root;
  FakeClock clock;
  NotingHost host(clock);
  host.run = [](const Tool& tool) -> absl::StatusOr<std::string> {
    if (tool.argv[0] == "busctl") return absl::InternalError("busctl: no watchdog");
    return "";
  };
  const auto vigil = MakeSystemdVigil(host, "", root.path() + "/run");
  EXPECT_THAT(vigil->Begin(), testing::ElementsAre("busctl: no watchdog"));
  EXPECT_EQ(host.tools.size(), 5u);
  vigil->Beat();  // Nobody listens.
}

TEST(SystemdVigilTest, TheWayHomeWaitsOnWhileNobodyWatchesTheDaemon) {
  runner::FakeRoot root;
  FakeClock clock;
  NotingHost host(clock);
  host.run = [](const Tool& tool) -> absl::StatusOr<std::string> {
    if (tool.argv.back() == "daemon-reload") return absl::InternalError("systemctl: no answer");
    return "";
  };
  const auto vigil = MakeSystemdVigil(host, "", root.path() + "/run");
  EXPECT_THAT(vigil->Begin(), testing::ElementsAre("systemctl: no answer"));
  EXPECT_THAT(host.tools, testing::Not(Contains(HasSubstr("way-home"))));
}

}  // namespace
}  // namespace shakedown::laptop
