// The API, signing in, health and files over a real socket.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/web/site_testing.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"

namespace shakedown::web {
namespace {

using service::SmallJob;
using ::testing::HasSubstr;
using ::testing::Not;

const Fields kJsonOnly = {{"Content-Type", "application/json"}};

template <typename Message>
Message Parsed(const std::string& json) {
  Message message;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &message).ok()) << json;
  return message;
}

std::string SubmitBody(const v1::JobSpec& spec) {
  v1::SubmitJobRequest request;
  request.set_request_id(NewUuid());
  *request.mutable_spec() = spec;
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(request, &json).ok());
  return json;
}

TEST(SiteTest, EveryMethodIsServedOrSaysThatItIsNot) {
  TestSite site;
  const auto* methods = v1::JobView::descriptor()->file()->FindServiceByName("FarmService");
  int served = 0;
  for (int i = 0; i < methods->method_count(); ++i) {
    const auto& method = *methods->method(i);
    const Reply reply = method.server_streaming()
                            ? Ask(site.port(), site.StreamRequest(method.name(), "{}"))
                            : site.Call(method.name(), "{}");
    EXPECT_THAT(reply.status, testing::AnyOf(200, 400, 404, 501)) << method.name();
    if (reply.status != 501) ++served;
    if (reply.status >= 400) {
      EXPECT_THAT(reply.body, HasSubstr("{\"code\":\"")) << method.name();
    }
  }
  EXPECT_EQ(served, methods->method_count() - 1) << "all but AddInput, to which a client streams";
}

TEST(SiteTest, AJobIsSubmittedSeenAndCancelled) {
  TestSite site;
  const Reply submitted = site.Call("SubmitJob", SubmitBody(SmallJob(2)));
  ASSERT_EQ(submitted.status, 200) << submitted.body;
  EXPECT_EQ(submitted.headers.at("content-type"), "application/json");
  EXPECT_EQ(submitted.headers.at("cache-control"), "no-store");
  const int64_t job = Parsed<v1::SubmitJobResponse>(submitted.body).job();
  const Reply got = site.Call("GetJob", absl::StrCat("{\"job\":\"", job, "\"}"));
  EXPECT_EQ(Parsed<v1::JobView>(got.body).boots_size(), 4);
  EXPECT_EQ(Parsed<v1::JobView>(got.body).submitter(), "ada");
  EXPECT_EQ(site.Call("CancelJob", absl::StrCat("{\"job\":", job, "}")).status, 200);
  EXPECT_EQ(Parsed<v1::ListJobsResponse>(site.Call("ListJobs", "").body).jobs(0).state(),
            v1::JOB_STATE_CANCELLED);
}

TEST(SiteTest, ErrorsAreConnectErrors) {
  TestSite site;
  struct Case {
    const char* method;
    std::string json;
    int status;
    const char* want;
  };
  for (const Case& c : {
           Case{"GetJob", "{\"job\":\"99\"}", 404, "\"code\":\"not_found\",\"message\":\"job 99"},
           Case{"GetJob", "{\"job\":-1}", 400, "invalid_argument"},
           Case{"GetJob", "{\"jbo\":1}", 400, "not a GetJobRequest as JSON"},
           Case{"GetJob", "{", 400, "not a GetJobRequest as JSON"},
           Case{"GetJob", "[]", 400, "invalid_argument"},
           Case{"GetJob", "{\"job\":\"\xff\"}", 400, "want UTF-8"},
           Case{"GetJob", std::string("{\"job\":1}\0", 10), 400, "want UTF-8"},
           Case{"GetJob", std::string(200000, '['), 400, "invalid_argument"},
           Case{"NoSuch", "{}", 404, "method"},
           Case{"AddInput", "{}", 501, "unimplemented"},
           Case{"SubmitJob", "{}", 400, "want a UUID"},
       }) {
    const Reply reply = site.Call(c.method, c.json);
    EXPECT_EQ(reply.status, c.status) << c.method << " " << reply.body;
    EXPECT_EQ(reply.headers.at("content-type"), "application/json");
    EXPECT_THAT(reply.body, HasSubstr(c.want));
  }
  EXPECT_EQ(site.Post("/shakedown.v1.Other/GetJob", kJsonOnly, "{}").status, 404);
}

TEST(SiteTest, ACallWantsTheRightTypeVersionAndEncoding) {
  TestSite site;
  const std::string get_job = std::string(kService) + "GetJob";
  const Fields mine = {{"Authorization", site.Bearer()}};
  const auto with = [&](Fields fields) {
    fields.insert(fields.end(), mine.begin(), mine.end());
    return site.Post(get_job, fields, "{\"job\":1}");
  };
  EXPECT_EQ(with({}).status, 415);
  EXPECT_EQ(with({{"Content-Type", "text/plain"}}).headers.at("accept-post"), "application/json");
  EXPECT_EQ(with({{"Content-Type", "application/connect+json"}}).status, 415);
  EXPECT_EQ(with({{"Content-Type", "application/proto"}}).status, 415);
  EXPECT_EQ(with({{"Content-Type", "Application/JSON; charset=utf-8"}}).status, 404);
  const std::pair<std::string, std::string> json = kJsonOnly[0];
  EXPECT_EQ(with({json, {"Connect-Protocol-Version", "2"}}).status, 400);
  EXPECT_EQ(with({json, {"Content-Encoding", "gzip"}}).status, 501);
  EXPECT_EQ(with({json, {"Connect-Timeout-Ms", "12345678901"}}).status, 400);
  EXPECT_EQ(with({json, {"Connect-Protocol-Version", "1"}}).status, 404);
  const Reply get = site.Get(get_job);
  EXPECT_EQ(get.status, 405);
  EXPECT_EQ(get.headers.at("allow"), "POST");
}

TEST(SiteTest, WithoutAUsersTokenNothingIsTold) {
  TestSite site;
  const std::string agent = site.farm.Token(store::Role::kAgent, "host1");
  const auto as = [&](const std::string& authorization) {
    return site.Post(std::string(kService) + "ListJobs",
                     {kJsonOnly[0], {"Authorization", authorization}}, "{}");
  };
  EXPECT_EQ(site.Post(std::string(kService) + "ListJobs", kJsonOnly, "{}").status, 401);
  EXPECT_EQ(as("Bearer sd_user_0123456789012345678901234567890123456789").status, 401);
  EXPECT_EQ(as("Basic YTpi").status, 401);
  EXPECT_EQ(as("Bearer " + std::string(5000, 'x')).status, 401);
  EXPECT_EQ(as("Bearer " + agent).status, 403);
  EXPECT_EQ(site.Get("/metrics").status, 401);
  EXPECT_EQ(as(site.Bearer()).status, 200);
  const Reply stream = site.Post(std::string(kService) + "WatchJob",
                                 {{"Content-Type", "application/connect+json"}}, Envelope("{}"));
  EXPECT_EQ(stream.status, 200);
  EXPECT_THAT(stream.body, HasSubstr("unauthenticated"));
}

// The cookie's name and value out of Set-Cookie.
std::string CookieOf(const Reply& reply) {
  const std::string& header = reply.headers.at("set-cookie");
  return header.substr(0, header.find(';'));
}

TEST(SiteTest, ATokenIsExchangedForACookie) {
  TestSite site;
  const Reply login = site.Post("/login", kJsonOnly,
                                absl::StrCat("{\"token\":\" ", site.farm.user_token(), "\\n\"}"));
  ASSERT_EQ(login.status, 200) << login.body;
  EXPECT_EQ(login.body, "{\"name\":\"ada\"}");
  EXPECT_THAT(login.headers.at("set-cookie"), HasSubstr("; Path=/; HttpOnly; SameSite=Strict"));
  EXPECT_THAT(login.headers.at("set-cookie"), Not(HasSubstr("sd_user")));
  const std::string cookie = CookieOf(login);
  const auto with = [&](const char* name, const std::string& value) {
    return site.Post(std::string(kService) + "ListJobs",
                     {kJsonOnly[0], {"Cookie", "a=b; " + cookie}, {name, value}}, "{}");
  };
  EXPECT_EQ(with("Origin", "http://farm.test").status, 200);
  EXPECT_EQ(with("Sec-Fetch-Site", "same-origin").status, 200);
  EXPECT_THAT(site.Get("/session", {{"Cookie", cookie}}).body, HasSubstr("\"ada\""));
  EXPECT_THAT(site.Get("/session").body, HasSubstr("\"name\":\"\",\"publicRead\":false"));

  // Another site's page.
  EXPECT_EQ(with("Origin", "http://evil.test").status, 403);
  EXPECT_EQ(with("Origin", "null").status, 403);
  EXPECT_EQ(with("Origin", "https://farm.test").status, 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "cross-site").status, 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "none").status, 403);
  EXPECT_EQ(with("X-Nothing", "said").status, 403);

  // Signing out.
  EXPECT_EQ(site.Post("/logout", {kJsonOnly[0], {"Cookie", cookie}}, "{}").status, 403);
  const Reply out = site.Post(
      "/logout", {kJsonOnly[0], {"Cookie", cookie}, {"Origin", "http://farm.test"}}, "{}");
  EXPECT_EQ(out.status, 200);
  EXPECT_THAT(out.headers.at("set-cookie"), HasSubstr("Max-Age=0"));
  EXPECT_EQ(with("Origin", "http://farm.test").status, 401);
}

TEST(SiteTest, ARevokedTokenEndsItsSessions) {
  TestSite site;
  const std::string token = site.farm.Token(store::Role::kUser, "eve");
  const std::string cookie =
      CookieOf(site.Post("/login", kJsonOnly, absl::StrCat("{\"token\":\"", token, "\"}")));
  const auto list = [&] {
    return site.Post(std::string(kService) + "ListJobs",
                     {kJsonOnly[0], {"Cookie", cookie}, {"Origin", "http://farm.test"}}, "{}");
  };
  EXPECT_EQ(list().status, 200);
  ASSERT_TRUE(store::RevokeTokens(site.farm.database(), store::Role::kUser, "eve").ok());
  EXPECT_EQ(list().status, 401);
}

TEST(SiteTest, BadLogins) {
  TestSite site;
  const std::string agent = site.farm.Token(store::Role::kAgent, "host1");
  const auto login = [&](const std::string& body) { return site.Post("/login", kJsonOnly, body); };
  EXPECT_EQ(login("{\"token\":\"nonsense\"}").status, 401);
  EXPECT_EQ(login(absl::StrCat("{\"token\":\"", agent, "\"}")).status, 403);
  EXPECT_EQ(login("{\"token\":17}").status, 401);
  EXPECT_EQ(login("{}").status, 400);
  EXPECT_EQ(login("not JSON").status, 400);
  EXPECT_EQ(login(std::string(5000, ' ')).status, 429);
  EXPECT_EQ(site.Post("/login", {{"Content-Type", "text/plain"}}, "{}").status, 415);
  EXPECT_EQ(site.Post("/login", {kJsonOnly[0], {"Origin", "http://evil.test"}},
                      absl::StrCat("{\"token\":\"", site.farm.user_token(), "\"}"))
                .status,
            403);
}

TEST(SiteTest, APublicFarmIsReadByEverybodyAndChangedByNobody) {
  TestSite site({.public_read = true});
  const auto as_nobody = [&](const std::string& method, const std::string& json) {
    return site.Post(kService + method, kJsonOnly, json);
  };
  EXPECT_EQ(as_nobody("ListJobs", "{}").status, 200);
  EXPECT_EQ(as_nobody("ListAgents", "{}").status, 200);
  EXPECT_EQ(as_nobody("SubmitJob", SubmitBody(SmallJob(1))).status, 401);
  EXPECT_EQ(as_nobody("PlanJob", "{}").status, 401);
  EXPECT_EQ(as_nobody("CancelJob", "{\"job\":1}").status, 401);
  EXPECT_EQ(as_nobody("AddKernel", "{}").status, 401);
  EXPECT_EQ(as_nobody("RemoveKernel", "{}").status, 401);
  EXPECT_EQ(as_nobody("ListJobs", std::string(70000, ' ')).status, 429);
  EXPECT_EQ(site.Get("/metrics").status, 200);
  EXPECT_THAT(site.Get("/session").body, HasSubstr("\"publicRead\":true"));
  // A session that has ended reads on as everybody does.
  EXPECT_EQ(
      site.Post(std::string(kService) + "ListJobs",
                {kJsonOnly[0], {"Cookie", "shakedown=x"}, {"Origin", "http://farm.test"}}, "{}")
          .status,
      200);
}

TEST(SiteTest, HealthAndMetrics) {
  TestSite site;
  ASSERT_TRUE(site.farm.Agent("host1", {"vm1"}).Sync(0).ok());
  ASSERT_TRUE(site.farm.Submit(SmallJob(2)).ok());
  EXPECT_EQ(site.Get("/healthz").body, "ok\n");
  EXPECT_EQ(site.Get("/readyz").body, "ready\n");
  const Reply metrics = site.Get("/metrics", {{"Authorization", site.Bearer()}});
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.headers.at("content-type"), HasSubstr("version=0.0.4"));
  for (const char* line :
       {"shakedown_database_up 1\n", "shakedown_jobs{state=\"active\"} 1\n",
        "shakedown_boots{state=\"waiting\"} 4\n", "shakedown_builds{state=\"queued\"} 2\n",
        "shakedown_machines{state=\"idle\"} 1\n", "shakedown_agents_online 1\n",
        "shakedown_leases 0\n", "shakedown_sync_seconds_bucket{le=\"+Inf\"} 1\n",
        "# TYPE shakedown_sync_seconds histogram\n", "shakedown_results_total 0\n",
        "shakedown_http_answers_total{class=\"2xx\"} 2\n", "shakedown_http_streams 0\n",
        "# TYPE shakedown_database_ping_seconds gauge\nshakedown_database_ping_seconds "}) {
    EXPECT_THAT(metrics.body, HasSubstr(line));
  }
  ASSERT_TRUE(service::Postgres().StopServer().ok());
  EXPECT_EQ(site.Get("/healthz").status, 200);
  const Reply ready = site.Get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("database"));
  EXPECT_EQ(site.Call("ListJobs", "{}").status, 503);
  ASSERT_TRUE(service::Postgres().StartServer().ok());
}

TEST(SiteTest, ThePagesFilesAreServedAndNothingElse) {
  char name[] = "/tmp/shakedown-site-test-XXXXXX";
  const std::string folder = mkdtemp(name);
  std::filesystem::create_directories(folder + "/page/assets");
  ASSERT_TRUE(WriteFileAtomically(folder + "/page/index.html", "<!doctype html>page").ok());
  ASSERT_TRUE(WriteFileAtomically(folder + "/page/assets/a-1.js", std::string(5000, ';')).ok());
  ASSERT_TRUE(WriteFileAtomically(folder + "/secret.txt", "secret").ok());
  TestSite site({}, {}, *Assets::Load(folder + "/page"));
  const Reply index = site.Get("/jobs/17?tab=report");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(index.body, "<!doctype html>page");
  EXPECT_EQ(index.headers.at("cache-control"), "no-cache");
  EXPECT_EQ(site.Get("/login").body, index.body);
  EXPECT_EQ(site.Get("/", {{"If-None-Match", index.headers.at("etag")}}).status, 304);
  const Reply script = site.Get("/assets/a-1.js", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(script.headers.at("cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(script.headers.at("content-encoding"), "gzip");
  EXPECT_LT(script.body.size(), 500u);
  for (const char* path : {"/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
                           "/assets/gone.js", "/page.php", "//etc/passwd.txt"}) {
    const Reply reply = site.Get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body, "no such page\n") << path;
    const Reply read = site.Get(path, {{"Accept", "text/html,*/*;q=0.8"}});
    EXPECT_EQ(read.status, 404) << path;
    EXPECT_EQ(read.body == index.body, !absl::StartsWith(path, "/assets/")) << path;
    EXPECT_EQ(read.headers.count("etag"), 0u) << path;
    EXPECT_THAT(read.body, Not(HasSubstr("secret\n")));
  }
  EXPECT_EQ(site.Get("/kernels/debian-6.12").status, 200);
  EXPECT_EQ(Ask(site.port(), Request("DELETE", "/", {})).status, 405);
  EXPECT_EQ(Ask(site.port(), Request("PUT", "/assets/x.js", {})).status, 405);
  std::filesystem::remove_all(folder);
}

TEST(SiteTest, APageThatWasNotBuiltSaysSo) {
  TestSite site;
  const Reply reply = site.Get("/");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("was not built"));
}

TEST(SiteTest, EveryAnswerCarriesTheSecurityHeaders) {
  TestSite site;
  for (const Reply& reply :
       {site.Get("/"), site.Get("/healthz"), site.Call("ListJobs", "{}"), site.Call("NoSuch", "{}"),
        Ask(site.port(), "GET / HTTP/1.1\r\nbroken\r\n\r\n"),
        Ask(site.port(), Request("DELETE", "/", {}))}) {
    ASSERT_NE(reply.status, 0);
    const std::string csp = reply.headers.at("content-security-policy");
    EXPECT_THAT(csp, HasSubstr("default-src 'none'"));
    EXPECT_THAT(csp, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(csp, Not(HasSubstr("unsafe")));
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(reply.headers.at("referrer-policy"), "no-referrer");
  }
}

}  // namespace
}  // namespace shakedown::web
