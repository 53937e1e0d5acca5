#include "agent/laptop/keeper/commands.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "agent/laptop/keeper/enroll.h"
#include "agent/laptop/keeper/keeper_fixture.h"
#include "agent/laptop/keeper/server.h"
#include "agent/laptop/owner/owner_file.h"
#include "proto/wire/files.h"

namespace shakedown::laptop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class CommandsTest : public KeeperTest {
 protected:
  CommandsTest() : paths(PathsBelow(root.path())) {}
  ~CommandsTest() override {
    stop = true;
    if (daemon.joinable()) daemon.join();
  }
  void Daemon() {
    Start();
    auto listening =
        Listen({.socket = paths.socket, .refuse = paths.refuse, .root = getuid()}, *keeper, clock);
    ASSERT_TRUE(listening.ok()) << listening.status();
    daemon = std::thread([this, server = *std::move(listening)] {
      while (!stop) server->Step(absl::Milliseconds(10));
    });
  }
  Say Notes() {
    return [this](absl::string_view line) { said.emplace_back(line); };
  }

  const LaptopPaths paths;
  std::atomic<bool> stop = false;
  std::thread daemon;
  std::vector<std::string> said;
};

TEST_F(CommandsTest, AskADaemonThatLives) {
  Daemon();
  v1::OwnerCommand command;
  command.mutable_pause();
  EXPECT_TRUE(Command(paths, command).ok());
  EXPECT_THAT(std::string(RefuseReboot(paths).message()), HasSubstr("nothing to refuse"));
  v1::LaptopRequest request;
  request.mutable_status();
  const auto reply = AskDaemon(paths.socket, request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_THAT(StatusText(reply->status(), absl::UTCTimeZone()),
              HasSubstr("your own kernel runs, nothing is installed\nkernel: 6.1.0-owner\n"));
  EXPECT_THAT(StatusJson(reply->status()), HasSubstr("\"stage\":\"BOOT_STAGE_NONE\""));
}

TEST_F(CommandsTest, WithoutADaemonItIsSaid) {
  v1::LaptopRequest request;
  request.mutable_status();
  const absl::Status status = AskDaemon(paths.socket, request).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("systemctl start shakedown-laptop"));
}

TEST_F(CommandsTest, StopWithoutADaemonRebootsATestKernelOnly) {
  EXPECT_FALSE(StopNow(paths, host).ok());
  EXPECT_EQ(host.reboots, 0);
  host.command_line = absl::StrCat("root=/dev/sda1 shakedown.boot=", kOneAttempt);
  EXPECT_TRUE(StopNow(paths, host).ok());
  EXPECT_EQ(host.reboots, 1);
}

TEST(ParseUntilTest, LocalTimes) {
  const absl::TimeZone zone = absl::FixedTimeZone(3600);
  const absl::Time now = absl::FromCivil(absl::CivilMinute(2026, 11, 30, 22, 0), zone);
  const auto at = [&](int year, int month, int day, int hour, int minute) {
    return absl::ToUnixSeconds(
        absl::FromCivil(absl::CivilMinute(year, month, day, hour, minute), zone));
  };
  EXPECT_EQ(*ParseUntil("", now, zone), 0);
  EXPECT_EQ(*ParseUntil("22:30", now, zone), at(2026, 11, 30, 22, 30));
  EXPECT_EQ(*ParseUntil("07:00", now, zone), at(2026, 12, 1, 7, 0));
  EXPECT_EQ(*ParseUntil("2027-01-31", now, zone), at(2027, 1, 31, 0, 0));
  EXPECT_EQ(*ParseUntil("2027-01-31 09:15", now, zone), at(2027, 1, 31, 9, 15));
  for (const char* text : {"tomorrow", "25:00", "2027-13-01", "10"}) {
    EXPECT_FALSE(ParseUntil(text, now, zone).ok()) << text;
  }
}

class EnrolTest : public CommandsTest {
 protected:
  EnrolTest() {
    unlink(paths.owner.c_str());
    unlink(paths.config.c_str());
  }
  absl::Status Try(const Enrolment& enrolment) {
    return Enrol(enrolment, paths,
                 {.host = host,
                  .say = Notes(),
                  .consents = [this](absl::string_view) { return consents; },
                  .owner_uid = getuid(),
                  .agent_uid = getuid(),
                  .agent_gid = getgid()});
  }
  static Enrolment Good() {
    return {.name = "x1",
            .server = "farm.example.org:8443",
            .token = "sd_agent_0123",
            .tls_ca = "-----BEGIN CERTIFICATE-----\n",
            .signers = {std::string(64, 'a')}};
  }
  static mode_t Mode(const std::string& path) {
    struct stat about = {};
    return stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
  }
  bool consents = true;
};

TEST_F(EnrolTest, WritesWhatAgentAndDaemonRead) {
  ASSERT_TRUE(Try(Good()).ok());
  const auto owner = ReadOwnerFile(paths.owner, getuid());
  ASSERT_TRUE(owner.ok()) << owner.status();
  EXPECT_EQ(owner->rules.farms(0), "farm.example.org:8443");
  EXPECT_EQ(owner->rules.kernel_signers(0).key(), std::string(64, 'a'));
  const std::string config = *ReadFile(paths.config);
  EXPECT_EQ(ConfigValue(config, "server"), "farm.example.org:8443");
  EXPECT_EQ(ConfigValue(config, "token-file"), paths.token);
  EXPECT_EQ(ConfigValue(config, "laptop"), "name=x1 socket=" + paths.socket);
  EXPECT_EQ(*ReadFile(paths.token), "sd_agent_0123\n");
  EXPECT_EQ(Mode(paths.token), 0600u);
  EXPECT_EQ(Mode(paths.config), 0640u);
  EXPECT_THAT(host.tools, ElementsAre("systemctl enable --now shakedown-way-home.service",
                                      "systemctl enable --now shakedown-laptop.service",
                                      "systemctl enable --now shakedown-agent.service"));
  EXPECT_THAT(said, Contains(HasSubstr("when: 22:00 to 07:00, idle for 30 min")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("sd_agent"))));
}

TEST_F(EnrolTest, WithoutConsentNothingIsWritten) {
  consents = false;
  EXPECT_TRUE(absl::IsCancelled(Try(Good())));
  EXPECT_FALSE(std::filesystem::exists(paths.owner));
  EXPECT_FALSE(std::filesystem::exists(paths.token));
  EXPECT_THAT(host.tools, IsEmpty());
}

TEST_F(EnrolTest, AnOwnersFileStaysAsItIs) {
  root.Put("/etc/shakedown/owner.txtpb", "farms: \"mine:1\"\n");
  chmod(paths.owner.c_str(), 0644);
  ASSERT_TRUE(Try(Good()).ok());
  EXPECT_EQ(*ReadFile(paths.owner), "farms: \"mine:1\"\n");
  root.Put("/etc/shakedown/owner.txtpb", "farms: mine\n");
  EXPECT_FALSE(Try(Good()).ok());
}

TEST_F(EnrolTest, WhatIsNoNameServerOrTokenIsRefused) {
  for (int i = 0; i < 7; ++i) {
    Enrolment bad = Good();
    if (i == 0) bad.name = "My Laptop";
    if (i == 1) bad.server = "farm:1\"\nname = \"x";
    if (i == 2) bad.token = "";
    if (i == 3) bad.token = "two words";
    if (i == 4) bad.tls_ca = "key";
    if (i == 5) bad.signers = {"abc"};
    if (i == 6) bad.server = "";
    EXPECT_TRUE(absl::IsInvalidArgument(Try(bad))) << i;
  }
  EXPECT_FALSE(std::filesystem::exists(paths.config));
}

TEST_F(EnrolTest, LeavingUndoesAll) {
  ASSERT_TRUE(Try(Good()).ok());
  root.Put("/var/lib/shakedown-laptop/journal", "x");
  root.Put("/var/lib/shakedown/journal", "x");
  host.tools.clear();
  int undone = 0;
  const auto undo = [&] { return ++undone, absl::OkStatus(); };
  ASSERT_TRUE(LeaveFarm(paths, host, undo, Notes()).ok());
  EXPECT_EQ(undone, 1);
  for (const std::string& path :
       {paths.owner, paths.config, paths.token, paths.tls_ca, paths.state, paths.agent_state}) {
    EXPECT_FALSE(std::filesystem::exists(path)) << path;
  }
  EXPECT_THAT(host.tools, ElementsAre("systemctl disable --now shakedown-agent.service",
                                      "systemctl disable --now shakedown-laptop.service",
                                      "systemctl disable --now shakedown-way-home.service"));
}

TEST_F(EnrolTest, LeavingStopsAtWhatCanNotBeUndone) {
  ASSERT_TRUE(Try(Good()).ok());
  const auto undo = [] { return absl::UnavailableError("/boot: Input/output error"); };
  EXPECT_FALSE(LeaveFarm(paths, host, undo, Notes()).ok());
  EXPECT_TRUE(std::filesystem::exists(paths.config));
}

TEST_F(EnrolTest, NobodyLeavesFromATestKernel) {
  ASSERT_TRUE(Try(Good()).ok());
  host.command_line = absl::StrCat("shakedown.boot=", kOneAttempt);
  host.tools.clear();
  EXPECT_THAT(std::string(LeaveFarm(
                              paths, host, [] { return absl::OkStatus(); }, Notes())
                              .message()),
              StartsWith("a test kernel runs"));
  EXPECT_THAT(host.tools, IsEmpty());
}

}  // namespace
}  // namespace shakedown::laptop
