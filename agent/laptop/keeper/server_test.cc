#include "agent/laptop/keeper/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>

#include "agent/laptop/keeper/connection.h"
#include "agent/laptop/keeper/keeper_fixture.h"
#include "proto/wire/framing.h"

namespace shakedown::laptop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ServerTest : public KeeperTest {
 protected:
  // This test's user is root (then an owner), or the agent, or neither.
  void Serve(std::optional<uid_t> root_uid = std::nullopt,
             std::optional<uid_t> agent = std::nullopt) {
    ServerOptions options;
    options.socket = root.path() + "/run/laptop.sock";
    options.refuse = root.path() + "/run/refuse";
    options.root = root_uid.value_or(getuid());
    options.agent = agent;
    auto listening = Listen(options, *keeper, clock);
    ASSERT_TRUE(listening.ok()) << listening.status();
    server = *std::move(listening);
  }
  void Rounds(int count = 5) {
    for (int i = 0; i < count; ++i) server->Step(absl::ZeroDuration());
  }
  Descriptor Connect() {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = root.path() + "/run/laptop.sock";
    strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  std::unique_ptr<Connection> Client() { return std::make_unique<Connection>(Connect()); }

  template <typename Message>
  std::optional<Message> Read(Connection& client) {
    Rounds();
    client.Receive();
    const auto payload = client.Next();
    if (!payload) return std::nullopt;
    Message message;
    EXPECT_TRUE(message.ParseFromString(*payload));
    return message;
  }
  std::optional<v1::LaptopReply> Exchange(Connection& client, const v1::LaptopRequest& request) {
    client.Send(request.SerializeAsString());
    return Read<v1::LaptopReply>(client);
  }
  static v1::LaptopRequest StatusRequest() {
    v1::LaptopRequest request;
    request.mutable_status();
    return request;
  }
  static v1::LaptopRequest PauseRequest() {
    v1::LaptopRequest request;
    request.mutable_owner()->mutable_pause();
    return request;
  }
  // A client whose connection carries the runner's frames.
  std::unique_ptr<Connection> RunnerClient() {
    auto client = Client();
    v1::LaptopRequest request;
    request.mutable_open_runner()->set_attempt_id(kOneAttempt);
    const auto reply = Exchange(*client, request);
    EXPECT_TRUE(reply.has_value());
    EXPECT_EQ(reply ? reply->error() : "none", "");
    return client;
  }
  static v1::RunnerRequest LoadRequest(uint32_t jobs = 2) {
    v1::RunnerRequest request;
    request.set_id(9);
    request.mutable_run_load()->mutable_load()->mutable_make()->set_jobs(jobs);
    request.mutable_run_load()->set_limit_s(300);
    return request;
  }
  // Whether the server has closed this end.
  static bool Closed(Connection& client) {
    client.Receive();
    return !client.open();
  }

  std::unique_ptr<Server> server;
};

TEST_F(ServerTest, AnswersRequestAfterRequest) {
  Start();
  Serve();
  auto client = Client();
  for (int i = 0; i < 3; ++i) {
    const auto reply = Exchange(*client, StatusRequest());
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->error(), "");
    EXPECT_EQ(reply->status().stage(), v1::BOOT_STAGE_NONE);
  }
}

TEST_F(ServerTest, TheSocketIsOfItsGroupAlone) {
  Start();
  Serve();
  struct stat about = {};
  ASSERT_EQ(stat((root.path() + "/run/laptop.sock").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0660u);
  ASSERT_EQ(stat((root.path() + "/run/refuse").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0622u);
  EXPECT_TRUE(S_ISFIFO(about.st_mode));
}

TEST_F(ServerTest, AnotherUserIsTurnedAway) {
  Start();
  Serve(getuid() + 1, getuid() + 2);
  auto client = Client();
  const auto reply = Exchange(*client, StatusRequest());
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(reply->error(), HasSubstr("may not talk to shakedown-laptop"));
  EXPECT_EQ(reply->status().release(), "");
  EXPECT_TRUE(Closed(*client));
}

TEST_F(ServerTest, TheAgentIsNoOwner) {
  Start();
  Serve(getuid() + 1, getuid());
  auto client = Client();
  EXPECT_EQ(Exchange(*client, PauseRequest())->error(), "owner's command: want root (sudo)");
  EXPECT_EQ(Exchange(*client, StatusRequest())->error(), "");
}

TEST_F(ServerTest, RootIsTheOwner) {
  Start();
  Serve();
  auto client = Client();
  EXPECT_EQ(Exchange(*client, PauseRequest())->error(), "");
  EXPECT_TRUE(Status().paused());
}

TEST_F(ServerTest, GarbageClosesTheConnectionAndNoOther) {
  Start();
  Serve();
  auto sound = Client();
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100000, '\0'),
        EncodeFrame("\xff\xff\xff"),                  // A frame, no message.
        std::string("SDF1\xff\xff\xff\xff....", 12),  // Of 4 GiB.
        std::string("SDF1\x01\0\0\x01....", 12)}) {   // Of a byte more than there may be.
    const Descriptor fd = Connect();
    ASSERT_EQ(write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    Rounds();
    char byte;
    errno = 0;
    EXPECT_LE(read(fd.get(), &byte, 1), 0);
    EXPECT_NE(errno, EAGAIN) << bytes.size();
  }
  EXPECT_EQ(Exchange(*sound, StatusRequest())->error(), "");
}

TEST_F(ServerTest, AFrameMayComeByteByByte) {
  Start();
  Serve();
  const Descriptor fd = Connect();
  for (const char byte : EncodeFrame(StatusRequest().SerializeAsString())) {
    ASSERT_EQ(write(fd.get(), &byte, 1), 1);
    Rounds(1);
  }
  Rounds();
  char reply[4];
  ASSERT_EQ(read(fd.get(), reply, 4), 4);
  EXPECT_EQ(std::string(reply, 4), "SDF1");
}

TEST_F(ServerTest, AHalfFrameIsNotWaitedForForEver) {
  Start();
  Serve();
  auto client = Client();
  const std::string frame = EncodeFrame(StatusRequest().SerializeAsString());
  ASSERT_EQ(write(client->fd(), frame.data(), frame.size() / 2),
            static_cast<ssize_t>(frame.size() / 2));
  Rounds();
  EXPECT_FALSE(Closed(*client));
  clock.Advance(absl::Seconds(61));
  Rounds();
  EXPECT_TRUE(Closed(*client));
}

TEST_F(ServerTest, TwoAtOnceAndNotMoreThanItsBound) {
  Start();
  Serve();
  std::vector<std::unique_ptr<Connection>> clients;
  for (size_t i = 0; i < kMostConnections; ++i) {
    clients.push_back(Client());
    Rounds(1);
  }
  for (auto& client : clients) client->Send(StatusRequest().SerializeAsString());
  for (auto& client : clients) EXPECT_TRUE(Read<v1::LaptopReply>(*client).has_value());
  auto late = Client();
  EXPECT_THAT(Read<v1::LaptopReply>(*late)->error(), HasSubstr("8 connections are open"));
  EXPECT_TRUE(Closed(*late));
  clients.clear();
  Rounds();
  auto next = Client();
  EXPECT_EQ(Exchange(*next, StatusRequest())->error(), "");
}

TEST_F(ServerTest, WhoDoesNotReadIsNotServedWithoutBound) {
  Start();
  Serve();
  const Descriptor fd = Connect();
  const std::string frame = EncodeFrame(StatusRequest().SerializeAsString());
  size_t taken = 0;
  for (int i = 0; i < 200000; ++i) {
    if (write(fd.get(), frame.data(), frame.size()) != static_cast<ssize_t>(frame.size())) break;
    ++taken;
    if (taken % 100 == 0) Rounds(1);
  }
  EXPECT_LT(taken, 200000u);  // The socket's own buffer is full: nothing more is taken.
}

TEST_F(ServerTest, ARefusalNeedsNoPrivilege) {
  Start();
  Serve();
  ASSERT_EQ(Install().error(), "");
  ASSERT_EQ(Reboot().error(), "");
  const Descriptor pipe(open((root.path() + "/run/refuse").c_str(), O_WRONLY | O_NONBLOCK));
  ASSERT_EQ(write(pipe.get(), "no\n", 3), 3);
  Rounds();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_INSTALLED);
  EXPECT_THAT(Status().problem(), HasSubstr("refused by a person"));
}

TEST_F(ServerTest, ARefusalOfNothingIsNone) {
  Start();
  Serve();
  const Descriptor pipe(open((root.path() + "/run/refuse").c_str(), O_WRONLY | O_NONBLOCK));
  const std::string much(8000, 'n');
  ASSERT_GT(write(pipe.get(), much.data(), much.size()), 0);
  Rounds();
  ASSERT_EQ(Install().error(), "");
  ASSERT_EQ(Reboot().error(), "");
  Rounds();
  EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_LEAVING);
}

class RunnerLinkTest : public ServerTest {
 protected:
  RunnerLinkTest() {
    InTest();
    Serve();
    client = RunnerClient();
    runner = std::make_unique<Connection>(Descriptor(dup(place.runner.get())));
  }
  void FromRunner(const v1::RunnerEvent& event) { runner->Send(event.SerializeAsString()); }

  std::unique_ptr<Connection> client, runner;
};

TEST_F(RunnerLinkTest, CarriesFramesBothWays) {
  v1::RunnerEvent hello;
  hello.mutable_hello()->set_boot_id("b");
  FromRunner(hello);
  EXPECT_EQ(Read<v1::RunnerEvent>(*client)->hello().boot_id(), "b");
  client->Send(LoadRequest().SerializeAsString());
  EXPECT_EQ(Read<v1::RunnerRequest>(*runner)->run_load().load().make().jobs(), 2u);
  v1::RunnerEvent run;
  run.set_id(9);
  run.mutable_load_run()->set_output(std::string(9 << 20, 'x'));
  FromRunner(run);
  std::optional<v1::RunnerEvent> got;
  for (int i = 0; i < 1000 && !got; ++i) {
    runner->Flush();
    got = Read<v1::RunnerEvent>(*client);
  }
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->load_run().output().size(), 9u << 20);
}

TEST_F(RunnerLinkTest, WhatIsNotTheOrdersNeverReachesIt) {
  client->Send(LoadRequest(3).SerializeAsString());
  v1::RunnerRequest off;
  off.set_id(10);
  off.mutable_power_off();
  client->Send(off.SerializeAsString());
  const auto first = Read<v1::RunnerEvent>(*client);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->id(), 9u);
  EXPECT_THAT(first->failure().error(), HasSubstr("run_load.load.make.jobs: 2 -> 3"));
  const auto second = Read<v1::RunnerEvent>(*client);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->id(), 10u);
  EXPECT_THAT(second->failure().error(), HasSubstr("power_off"));
  EXPECT_FALSE(Read<v1::RunnerRequest>(*runner).has_value());
  // The link is not lost by it.
  client->Send(LoadRequest().SerializeAsString());
  EXPECT_TRUE(Read<v1::RunnerRequest>(*runner).has_value());
}

TEST_F(RunnerLinkTest, ACalibrationMayBeBurnt) {
  v1::RunnerEvent event;
  event.set_id(3);
  event.mutable_calibrated()->set_loops_per_ms(4711);
  FromRunner(event);
  ASSERT_TRUE(Read<v1::RunnerEvent>(*client).has_value());
  v1::RunnerRequest request = LoadRequest();
  request.mutable_run_load()->set_loops_per_ms(4711);
  client->Send(request.SerializeAsString());
  EXPECT_TRUE(Read<v1::RunnerRequest>(*runner).has_value());
}

TEST_F(RunnerLinkTest, AnAgentThatGoesEndsTheRunner) {
  client->Close();
  Rounds();
  EXPECT_FALSE(place.lives);
  EXPECT_EQ(place.ended, 1);
}

TEST_F(RunnerLinkTest, ARunnerThatEndsClosesTheLinkAfterItsLastWord) {
  v1::RunnerEvent last;
  last.mutable_failure()->set_error("last");
  FromRunner(last);
  runner->Close();
  place.runner.Close();
  Rounds();
  client->Receive();
  v1::RunnerEvent event;
  const auto payload = client->Next();
  ASSERT_TRUE(payload && event.ParseFromString(*payload));
  EXPECT_EQ(event.failure().error(), "last");
  EXPECT_TRUE(Closed(*client));
  EXPECT_FALSE(place.lives);
}

TEST_F(RunnerLinkTest, GarbageFromTheAgentEndsIt) {
  const std::string garbage = "x garbage that is no frame";
  ASSERT_GT(write(client->fd(), garbage.data(), garbage.size()), 0);
  Rounds();
  EXPECT_FALSE(place.lives);
}

TEST_F(RunnerLinkTest, TheOwnersStopEndsItWhileItRuns) {
  auto owner = Client();
  v1::LaptopRequest stop;
  stop.mutable_owner()->mutable_stop();
  runner.reset();
  EXPECT_EQ(Exchange(*owner, stop)->error(), "");
  Rounds();
  EXPECT_TRUE(Closed(*client));
  EXPECT_FALSE(place.lives);
  EXPECT_EQ(transaction.kept.outcome(), v1::OUTCOME_CANCELLED);
}

TEST_F(RunnerLinkTest, ASilentLinkIsNotIdle) {
  clock.Advance(absl::Minutes(5));
  Rounds();
  EXPECT_FALSE(Closed(*client));
  EXPECT_TRUE(place.lives);
}

TEST_F(RunnerLinkTest, AnAgentThatDoesNotReadStopsTheFlow) {
  v1::RunnerEvent event;
  event.mutable_progress()->set_text(std::string(1 << 16, 'x'));
  const std::string frame = EncodeFrame(event.SerializeAsString());
  size_t sent = 0;
  for (int i = 0; i < 1000; ++i) {
    const ssize_t wrote = write(place.runner.get(), frame.data(), frame.size());
    if (wrote > 0) sent += static_cast<size_t>(wrote);
    if (wrote != static_cast<ssize_t>(frame.size())) break;
    Rounds(1);
  }
  EXPECT_LT(sent, 16u << 20);
  EXPECT_GT(sent, kMostWaiting);
}

}  // namespace
}  // namespace shakedown::laptop
