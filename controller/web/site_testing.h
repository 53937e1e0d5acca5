// For tests: a whole controller with its HTTP side, on a real PostgreSQL.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controller/service/test_farm.h"
#include "controller/web/connect.h"
#include "controller/web/http_server.h"
#include "controller/web/http_testing.h"
#include "controller/web/site.h"

namespace shakedown::web {

constexpr char kService[] = "/shakedown.v1.FarmService/";

struct TestSite {
  explicit TestSite(SiteOptions site_options = {}, HttpServerOptions server_options = {},
                    Assets assets = {})
      : site(farm.backend(), site_options, std::move(assets), std::string(kSessionKeySize, 'k'),
             SystemClock(), counters) {
    server_options.listen = "127.0.0.1:0";
    server = *HttpServer::Start(
        server_options, [this](const HttpRequest& request) { return site.Handle(request); },
        counters);
  }
  // As main.cc: first the streams end, then the server.
  ~TestSite() {
    farm.backend().dispatcher.BeginStop();
    server->Stop(absl::Seconds(5));
  }

  int port() const { return server->port(); }
  std::string Bearer() const { return "Bearer " + farm.user_token(); }
  Reply Get(const std::string& path, const Fields& fields = {}) const {
    return Ask(port(), Request("GET", path, fields));
  }
  Reply Post(const std::string& path, const Fields& fields, const std::string& body) const {
    return Ask(port(), Request("POST", path, fields, body));
  }
  // A call with the user's token.
  Reply Call(const std::string& method, const std::string& json) const {
    return Post(kService + method,
                {{"Content-Type", "application/json"}, {"Authorization", Bearer()}}, json);
  }
  std::string StreamRequest(const std::string& method, const std::string& json,
                            Fields fields = {}) const {
    fields.insert(fields.end(),
                  {{"Content-Type", "application/connect+json"}, {"Authorization", Bearer()}});
    return Request("POST", kService + method, fields, Envelope(json));
  }

  service::TestFarm farm;
  HttpCounters counters;
  Site site;
  std::unique_ptr<HttpServer> server;
};

}  // namespace shakedown::web
