// HTTP/1.1 over TCP or TLS. The HTTP library stays in the .cc.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controller/web/connection.h"
#include "controller/web/http.h"
#include "controller/web/metrics.h"

namespace shakedown::web {

struct HttpServerOptions {
  std::string listen;           // "127.0.0.1:7180", "[::1]:0"; port 0: any free one.
  std::string tls_certificate;  // PEM, whole chain. Empty: no TLS.
  std::string tls_key;          // PEM.
  // Each has a thread while it is open. More are answered with 503 and closed. Keep it well above
  // SiteOptions::max_streams: the rest is for calls that end.
  int max_connections = 384;
  Limits limits;
};

// OK when tokens may go over `listen`, as service::CheckListen; Unix sockets are refused.
absl::Status CheckHttpListen(const std::string& listen, bool tls);

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  // `counters` and what the handler uses outlive it. Unavailable: the address can not be bound.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                           Handler handler, HttpCounters& counters);
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
  // Takes no new connections; cuts after `limit` what still runs. The handler's streams must be
  // ending by then. Once.
  virtual void Stop(absl::Duration limit) = 0;
};

}  // namespace shakedown::web
