#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "controller/service/services.h"

namespace shakedown::service {

struct ServerOptions {
  std::string listen;  // "127.0.0.1:7117", "[::1]:0", "unix:/run/farm.sock"; port 0: any free one.
  std::string tls_certificate;  // PEM, whole chain. Empty: no TLS.
  std::string tls_key;          // PEM.
};

// OK when tokens may go over `listen` as it is: TLS, a loopback address, or a Unix socket.
// InvalidArgument: not of that form. FailedPrecondition: the network without TLS.
absl::Status CheckListen(absl::string_view listen, bool tls);

// Serves all services until Stop(), and gRPC's own: grpc.health.v1.Health, SERVING while the
// database answers (looked at every second), and server reflection; these two want no token.
class Server {
 public:
  // What it uses outlives the server. Unavailable: the address can not be bound.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const Backend& backend);
  virtual ~Server() = default;
  virtual int port() const = 0;
  // Ends waiting calls (each with an answer), takes no new ones, cancels after `limit` what is
  // left. Once.
  virtual void Stop(absl::Duration limit) = 0;
};

}  // namespace shakedown::service
