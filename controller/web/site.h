// Everything the controller says over HTTP: the API, signing in, the page's files, health, metrics.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "controller/service/services.h"
#include "controller/web/api.h"
#include "controller/web/assets.h"
#include "controller/web/gate.h"
#include "controller/web/http.h"
#include "controller/web/metrics.h"
#include "controller/web/session.h"

namespace shakedown::web {

struct SiteOptions {
  // Reading calls want no token.
  bool public_read = false;
  // Served over TLS: decides the cookie's name and flags, and the origin of our own pages.
  bool tls = false;
  int max_streams = 256;
};

// On every answer, also those of the HTTP library.
//   Content-Security-Policy: no inline script or style, nothing from elsewhere, in no frame.
std::vector<std::pair<std::string, std::string>> SecurityHeaders(bool tls);

// A request that is signed in by cookie and not by a header comes from our own page only when the
// browser says so: Sec-Fetch-Site same-origin or, from browsers without it, an Origin that is ours.
bool FromOurPage(const HttpRequest& request, bool tls);

// Thread-safe; Handle() blocks. Paths:
//   POST /shakedown.v1.SERVICE/METHOD       Connect: unary JSON, streams of JSON
//   POST /login {"token":…}, POST /logout, GET /session
//   GET  /healthz, /readyz, /metrics, and the page's files
class Site {
 public:
  // The references outlive it, and it outlives the streams it answers with.
  Site(const service::Backend& backend, SiteOptions options, Assets assets, std::string session_key,
       Clock& clock, HttpCounters& counters);

  HttpResponse Handle(const HttpRequest& request);

 private:
  struct Caller {
    store::Principal principal;
    bool anonymous = false;
  };
  // `reads`: the call changes nothing.
  absl::StatusOr<Caller> WhoCalls(const HttpRequest& request, bool reads);
  absl::StatusOr<store::Principal> CheckToken(absl::string_view token);

  HttpResponse Call(const HttpRequest& request);
  absl::StatusOr<std::string> CallUnary(const HttpRequest& request, const Method& method);
  HttpResponse CallStream(const HttpRequest& request, const Method& method);
  absl::StatusOr<std::unique_ptr<JsonStream>> OpenStream(const HttpRequest& request,
                                                         const Method& method);
  HttpResponse Get(const HttpRequest& request);
  HttpResponse Ready();
  HttpResponse Session(const HttpRequest& request);
  HttpResponse Login(const HttpRequest& request);
  HttpResponse Logout(const HttpRequest& request);
  HttpResponse File(const HttpRequest& request) const;
  HttpResponse NotFound(const HttpRequest& request) const;
  std::string Cookie(absl::string_view value, absl::Duration age) const;
  std::string CookieOf(const HttpRequest& request) const;

  const service::Backend backend_;
  const SiteOptions options_;
  const Assets assets_;
  const Api api_;
  Sessions sessions_;
  Metrics metrics_;
  HttpCounters& counters_;
  Gate unary_gate_;
  Gate stream_gate_;
};

}  // namespace shakedown::web
