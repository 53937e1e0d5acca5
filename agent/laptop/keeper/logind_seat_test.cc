#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "agent/laptop/keeper/noting_host.h"
#include "agent/laptop/keeper/seat.h"
#include "agent/runner/setup/fake_root.h"

namespace shakedown::laptop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const absl::Time kNow = absl::FromUnixSeconds(1796068800);

TEST(ParseIdleTest, SinceWhen) {
  EXPECT_EQ(*ParseIdle("{\"type\":\"b\",\"data\":false}\n{\"type\":\"t\",\"data\":17}\n", kNow),
            absl::ZeroDuration());
  EXPECT_EQ(*ParseIdle("{\"type\":\"b\",\"data\":true}\n"
                       "{\"type\":\"t\",\"data\":1796067000000000}\n",
                       kNow),
            absl::Minutes(30));
  EXPECT_EQ(*ParseIdle("{\"type\":\"b\",\"data\":true}\n{\"type\":\"t\",\"data\":0}\n", kNow),
            absl::InfiniteDuration());
  // The clock was set back since.
  EXPECT_EQ(*ParseIdle("{\"type\":\"b\",\"data\":true}\n"
                       "{\"type\":\"t\",\"data\":1796069000000000}\n",
                       kNow),
            absl::ZeroDuration());
}

TEST(ParseIdleTest, WhatIsNoAnswerIsAnError) {
  for (const char* text :
       {"", "{}", "b true\nt 0\n", "{\"data\":true}\n", "{\"data\":1}\n{\"data\":true}\n",
        "{\"data\":true}\n{\"data\":\"x\"}\n"}) {
    EXPECT_FALSE(ParseIdle(text, kNow).ok()) << text;
  }
}

// As systemd 252 prints it.
constexpr char kInhibitors[] =
    R"j({"type":"a(ssssuu)","data":[[["sleep","NetworkManager","needs to turn off","delay",0,597],)j"
    R"j(["shutdown:sleep","apt","upgrading packages","block",0,77],)j"
    R"j(["handle-power-key:handle-lid-switch","gnome","handles it","block",1000,88],)j"
    R"j(["shutdown","Unattended Upgrades","stop it","delay",0,99]]]})j";

TEST(ParseBlockersTest, OnlyWhatBlocksAShutdown) {
  EXPECT_THAT(*ParseBlockers(kInhibitors), ElementsAre("apt: upgrading packages"));
  EXPECT_THAT(*ParseBlockers(R"j({"type":"a(ssssuu)","data":[[]]})j"), IsEmpty());
  for (const char* text : {"", "[]", R"j({"data":[]})j", R"j({"data":7})j"}) {
    EXPECT_FALSE(ParseBlockers(text).ok()) << text;
  }
}

TEST(LogindSeatTest, TellsTerminalsAndDesktops) {
  runner::FakeRoot root;
  FakeClock clock;
  NotingHost host(clock);
  const std::string uid = std::to_string(getuid());
  root.Put("/run/user/" + uid + "/bus", "");
  root.Put("/run/user/4711/bus", "");  // Of another user than its name says.
  MakeLogindSeat(host, root.path() + "/run/user")->Tell("soon; $(reboot)");
  ASSERT_EQ(host.tools.size(), 2u);
  EXPECT_EQ(host.tools[0], "wall Shakedown: soon; $(reboot)");
  EXPECT_THAT(host.tools[1], HasSubstr("--reuid=" + uid));
}

TEST(LogindSeatTest, AsksLogind) {
  FakeClock clock;
  NotingHost host(clock);
  const auto seat = MakeLogindSeat(host, "/nonexistent");
  host.run = [](const Tool&) { return kInhibitors; };
  EXPECT_THAT(*seat->Blockers(), ElementsAre("apt: upgrading packages"));
  host.run = [](const Tool&) { return absl::NotFoundError("busctl"); };
  EXPECT_FALSE(seat->Blockers().ok());
  EXPECT_FALSE(seat->Idle().ok());
}

}  // namespace
}  // namespace shakedown::laptop
