// Which farm to call, and with which token.
#ifndef SHAKEDOWN_CONTROLLER_CLI_SETTINGS_H_
#define SHAKEDOWN_CONTROLLER_CLI_SETTINGS_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::cli {

// As given with --context, --server, --token-file, --tls-ca; empty: not given.
struct ConnectionFlags {
  std::string context;  // Of config.txtpb.
  std::string server;
  std::string token_file;
  std::string tls_ca;
};

// Where to connect.
struct Endpoint {
  std::string target;  // gRPC's: "127.0.0.1:7117", "unix:/run/farm.sock".
  bool tls = false;
  bool local = false;  // Loopback or Unix socket.
};

// Value of an environment variable; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// "HOST:PORT", "http://HOST:PORT", "https://HOST:PORT", "[V6]:PORT", "unix:/PATH". TLS for https://
// and with a CA file. InvalidArgument: not one of these, or one that would send the token in the
// clear over a network.
absl::StatusOr<Endpoint> ParseServer(absl::string_view server, bool tls_ca_given);

// Each value from the flags, else SHAKEDOWN_SERVER, SHAKEDOWN_TOKEN_FILE, SHAKEDOWN_TLS_CA, else
// the context of config.txtpb (contexts.h; its token and CA only for its own server) that
// --context, SHAKEDOWN_CONTEXT or the file itself names. InvalidArgument: no server or no token
// file known, says where one can be given; a bad file. NotFound: no such context.
absl::StatusOr<ConnectionFlags> FindSettings(const ConnectionFlags& flags,
                                             const Environment& environment);

// The token in the file. PermissionDenied: others can read it; says what to do.
absl::StatusOr<std::string> ReadToken(const std::string& path);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_SETTINGS_H_
