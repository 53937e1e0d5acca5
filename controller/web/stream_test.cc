// Streams and limits over a real socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "controller/web/site_testing.h"

namespace shakedown::web {
namespace {

using fakes::ScriptedAgent;
using service::SmallJob;
using ::testing::HasSubstr;

// Polls until it is true; false after 20 s.
bool Soon(const std::function<bool()>& condition) {
  const absl::Duration deadline = SystemClock().Elapsed() + absl::Seconds(20);
  while (!condition()) {
    if (SystemClock().Elapsed() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(StreamTest, AJobIsWatchedUntilItHasEnded) {
  TestSite site;
  ScriptedAgent agent = site.farm.Agent("host1", {"vm1"});
  const int64_t job = site.farm.Submit(SmallJob(1)).value();
  TestClient client(site.port());
  client.Send(site.StreamRequest("WatchJob", absl::StrCat("{\"job\":", job, "}")));
  EXPECT_EQ(client.ReadHead().headers.at("content-type"), "application/connect+json");
  EXPECT_THAT(client.ReadChunk(), HasSubstr("JOB_STATE_ACTIVE"));
  EXPECT_EQ(site.counters.streams.load(), 1);
  ASSERT_TRUE(agent.Run([&] { return site.farm.Ended(job); }).ok());
  std::vector<std::string> chunks;
  for (std::string chunk = client.ReadChunk(); !chunk.empty(); chunk = client.ReadChunk()) {
    chunks.push_back(chunk);
  }
  ASSERT_GE(chunks.size(), 2u);
  EXPECT_THAT(chunks[chunks.size() - 2], HasSubstr("JOB_STATE_DONE"));
  EXPECT_EQ(chunks.back(), EndEnvelope(absl::OkStatus()));
  EXPECT_TRUE(Soon([&] { return site.counters.streams == 0; }));
  // The connection goes on.
  client.Send(Request("GET", "/healthz", {}));
  EXPECT_EQ(client.Read().body, "ok\n");
}

TEST(StreamTest, ALogIsReadFromAnywhereAndItsSizeTold) {
  TestSite site;
  ScriptedAgent agent = site.farm.Agent("host1", {"vm1"});
  const int64_t job = site.farm.Submit(SmallJob(1)).value();
  const std::string console = "Linux version 6.1\r\n\x1b[2J\xff <script>\n";
  agent.on_boot = [&](const v1::BootOrder& order) {
    EXPECT_TRUE(agent.AppendLog(order.attempt_id(), order.epoch(), 0, console).ok());
    return ScriptedAgent::Measured(order);
  };
  ASSERT_TRUE(agent.Run([&] { return site.farm.Ended(job); }).ok());
  const auto read = [&](const std::string& more) {
    return Ask(site.port(), site.StreamRequest(
                                "ReadLog", absl::StrCat("{\"name\":\"", job, ".1A\"", more, "}")));
  };
  const Reply whole = read("");
  EXPECT_EQ(whole.headers.at("log-size"), absl::StrCat(console.size()));
  EXPECT_THAT(whole.body, HasSubstr(absl::Base64Escape(console)));
  EXPECT_THAT(read(",\"offset\":\"5\"").body, HasSubstr(absl::Base64Escape(console.substr(5))));
  const Reply past = read(",\"offset\":\"1099511627776\"");
  EXPECT_EQ(past.body, EndEnvelope(absl::OkStatus()));
  EXPECT_EQ(past.headers.at("log-size"), absl::StrCat(console.size()));
  const Reply none = Ask(site.port(), site.StreamRequest("ReadLog", "{\"name\":\"99.1A\"}"));
  EXPECT_EQ(none.status, 200);
  EXPECT_THAT(none.body, HasSubstr("\"code\":\"not_found\""));
  EXPECT_EQ(none.headers.count("log-size"), 0u);
}

TEST(StreamTest, BadStreamRequests) {
  TestSite site;
  const auto end = [&](const std::string& body) {
    return site
        .Post(std::string(kService) + "WatchJob",
              {{"Content-Type", "application/connect+json"}, {"Authorization", site.Bearer()}},
              body)
        .body;
  };
  EXPECT_THAT(end(""), HasSubstr("invalid_argument"));
  EXPECT_THAT(end("{\"job\":1}"), HasSubstr("invalid_argument"));
  EXPECT_THAT(end(Envelope("{\"job\":1}") + "x"), HasSubstr("invalid_argument"));
  EXPECT_THAT(end(Envelope("{\"jbo\":1}")), HasSubstr("not a GetJobRequest"));
  EXPECT_THAT(end(Envelope("{\"job\":7}")), HasSubstr("not_found"));
  EXPECT_THAT(end(Envelope(std::string(70000, ' '))), HasSubstr("resource_exhausted"));
}

TEST(StreamTest, AStreamEndsWhenItsTimeIsOver) {
  TestSite site;
  const int64_t job = site.farm.Submit(SmallJob(1)).value();
  const Reply reply =
      Ask(site.port(), site.StreamRequest("WatchJob", absl::StrCat("{\"job\":", job, "}"),
                                          {{"Connect-Timeout-Ms", "100"}}));
  EXPECT_THAT(reply.body, HasSubstr("JOB_STATE_ACTIVE"));
  EXPECT_THAT(reply.body, HasSubstr("deadline_exceeded"));
}

TEST(StreamTest, StreamsAreLimitedAndDoNotStarveCalls) {
  TestSite site({.max_streams = 20}, {.max_connections = 30});
  const int64_t job = site.farm.Submit(SmallJob(1)).value();
  const std::string watch = site.StreamRequest("WatchJob", absl::StrCat("{\"job\":", job, "}"));
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<TestClient>(site.port()));
    clients.back()->Send(watch);
    ASSERT_EQ(clients.back()->ReadHead().status, 200);
    ASSERT_THAT(clients.back()->ReadChunk(), HasSubstr("JOB_STATE_ACTIVE"));
  }
  EXPECT_THAT(Ask(site.port(), watch).body, HasSubstr("resource_exhausted"));
  EXPECT_EQ(site.Call("ListJobs", "{}").status, 200);
  // Who leaves makes room.
  clients.resize(5);
  EXPECT_TRUE(Soon([&] { return site.counters.streams == 5; }));
}

TEST(StreamTest, TwoHundredWatchersSeeTheEndAndCallsGoOn) {
  TestSite site;
  ScriptedAgent agent = site.farm.Agent("host1", {"vm1"});
  const int64_t job = site.farm.Submit(SmallJob(1)).value();
  const std::string watch = site.StreamRequest("WatchJob", absl::StrCat("{\"job\":", job, "}"));
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<TestClient>(site.port()));
    ASSERT_TRUE(clients.back()->Send(watch));
  }
  ASSERT_TRUE(Soon([&] { return site.counters.streams == 200; }));
  EXPECT_EQ(site.Call("ListJobs", "{}").status, 200);
  // The agents' calls go their own way.
  ASSERT_TRUE(agent.Run([&] { return site.farm.Ended(job); }).ok());
  for (const auto& client : clients) {
    EXPECT_THAT(client->Read().body, HasSubstr("JOB_STATE_DONE"));
  }
}

TEST(StreamTest, TheControllersEndEndsStreamsWithAWord) {
  auto site = std::make_unique<TestSite>();
  const int64_t job = site->farm.Submit(SmallJob(1)).value();
  TestClient client(site->port());
  TestClient idle(site->port());
  client.Send(site->StreamRequest("WatchJob", absl::StrCat("{\"job\":", job, "}")));
  client.ReadHead();
  EXPECT_THAT(client.ReadChunk(), HasSubstr("JOB_STATE_ACTIVE"));
  site.reset();
  EXPECT_THAT(client.ReadChunk(), HasSubstr("\"code\":\"unavailable\""));
  EXPECT_TRUE(idle.Closes());
}

TEST(StreamTest, ASlowReaderIsDropped) {
  Limits limits;
  limits.write = absl::Milliseconds(300);
  TestSite site({}, {.limits = limits});
  ScriptedAgent agent = site.farm.Agent("host1", {"vm1"});
  const int64_t job = site.farm.Submit(SmallJob(1)).value();
  agent.on_boot = [&](const v1::BootOrder& order) {
    for (uint64_t at = 0; at < 8 << 20; at += 256 << 10) {
      EXPECT_TRUE(
          agent.AppendLog(order.attempt_id(), order.epoch(), at, std::string(256 << 10, 'x')).ok());
    }
    return ScriptedAgent::Measured(order);
  };
  ASSERT_TRUE(agent.Run([&] { return site.farm.Ended(job); }).ok());
  TestClient client(site.port());
  client.SetReceiveBuffer(4096);
  client.Send(site.StreamRequest("ReadLog", absl::StrCat("{\"name\":\"", job, ".1A\"}")));
  EXPECT_TRUE(Soon([&] { return site.counters.slow_readers == 1; }));
  EXPECT_EQ(site.counters.streams.load(), 0);
}

TEST(LimitsTest, ConnectionsOverTheLimitAreToldSo) {
  TestSite site({}, {.max_connections = 2});
  TestClient one(site.port()), two(site.port());
  one.Send(Request("GET", "/healthz", {}));
  two.Send(Request("GET", "/healthz", {}));
  EXPECT_EQ(one.Read().status, 200);
  EXPECT_EQ(two.Read().status, 200);
  TestClient three(site.port());
  const Reply refused = three.Read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("too many connections"));
  EXPECT_TRUE(three.Closes());
  one.Send(Request("GET", "/healthz", {}));
  EXPECT_EQ(one.Read().status, 200);
}

TEST(LimitsTest, WhoDoesNotFinishIsNotWaitedFor) {
  Limits limits;
  limits.idle = limits.head = limits.body = absl::Milliseconds(300);
  TestSite site({}, {.limits = limits});
  TestClient silent(site.port());
  EXPECT_TRUE(silent.Closes());
  TestClient half(site.port());
  half.Send("GET / HTTP/1.1\r\nHost: x\r\n");
  EXPECT_EQ(half.Read().status, 400);
  EXPECT_TRUE(half.Closes());
  TestClient body(site.port());
  body.Send(absl::StrCat("POST ", kService,
                         "ListJobs HTTP/1.1\r\nHost: x\r\nAuthorization: ", site.Bearer(),
                         "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"));
  EXPECT_EQ(body.Read().status, 503);
  EXPECT_TRUE(body.Closes());
}

TEST(LimitsTest, BodiesAreBounded) {
  TestSite site;
  const std::string head = absl::StrCat("POST ", kService, "ListJobs HTTP/1.1\r\nHost: x\r\n",
                                        "Content-Type: application/json\r\n");
  const std::string mine = absl::StrCat("Authorization: ", site.Bearer(), "\r\n");
  TestClient announced(site.port());
  announced.Send(absl::StrCat(head, mine, "Content-Length: 99999999999\r\n\r\n"));
  EXPECT_EQ(announced.Read().status, 429);
  EXPECT_TRUE(announced.Closes());

  TestClient chunked(site.port());
  chunked.Send(absl::StrCat(head, mine, "Transfer-Encoding: chunked\r\n\r\n"));
  const std::string chunk = absl::StrCat("100000\r\n", std::string(1 << 20, ' '), "\r\n");
  for (int i = 0; i < 17 && chunked.Send(chunk); ++i) {
  }
  EXPECT_EQ(chunked.Read().status, 429);
  EXPECT_TRUE(chunked.Closes());

  // Nobody's body is not read at all, and is not taken for a request.
  TestClient nobody(site.port());
  nobody.Send(absl::StrCat(head, "Content-Length: 5000000\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(nobody.Read().status, 401);
  EXPECT_TRUE(nobody.Closes());
  TestClient get(site.port());
  get.Send("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_EQ(get.Read().status, 200);
  EXPECT_TRUE(get.Closes());
}

TEST(LimitsTest, HostileHeads) {
  TestSite site;
  for (const std::string& head :
       {std::string(20000, 'x'), "GET / HTTP/1.1\r\nA: " + std::string(20000, 'x'),
        std::string("GET / HTTP/1.1\r\nRange bytes\r\n\r\n"),
        std::string("GET /\x01 HTTP/1.1\r\n\r\n"), std::string("\r\n\r\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string("\x16\x03\x01\x02\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        std::string(
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")}) {
    EXPECT_EQ(Ask(site.port(), head).status, 400) << head.substr(0, 60);
  }
  // The library's own checks, and paths that its regular expressions see.
  EXPECT_EQ(Ask(site.port(), Request("POST", "/" + std::string(2000, 'a'), {})).status, 405);
  EXPECT_EQ(
      Ask(site.port(), Request("GET", "/", {{"Range", "bytes=" + std::string(8000, ',')}})).status,
      200);
  EXPECT_NE(Ask(site.port(), Request("GET", "/%00%ff%zz", {})).status, 0);
  EXPECT_EQ(site.Get("/healthz").status, 200);
}

TEST(LimitsTest, AddressesBeyondLoopbackWantTls) {
  EXPECT_TRUE(CheckHttpListen("127.0.0.1:0", false).ok());
  EXPECT_TRUE(CheckHttpListen("0.0.0.0:80", true).ok());
  EXPECT_THAT(std::string(CheckHttpListen("0.0.0.0:80", false).message()), HasSubstr("--http"));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckHttpListen("unix:/x", false)));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckHttpListen("80", false)));
  HttpCounters counters;
  EXPECT_TRUE(absl::IsInvalidArgument(
      HttpServer::Start({.listen = "127.0.0.1:0", .tls_certificate = "x", .tls_key = "y"}, nullptr,
                        counters)
          .status()));
  TestSite site;
  EXPECT_TRUE(absl::IsUnavailable(
      HttpServer::Start({.listen = absl::StrCat("127.0.0.1:", site.port())}, nullptr, counters)
          .status()));
}

}  // namespace
}  // namespace shakedown::web
