#include "controller/cli/settings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "controller/cli/contexts.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

constexpr size_t kMaxToken = 4096;
constexpr absl::string_view kServerForms =
    "want HOST:PORT, https://HOST:PORT or unix:/PATH, e.g. 127.0.0.1:7117";

bool IsHost(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) {
    return absl::ConsumeSuffix(&host, "]") && !host.empty() &&
           std::all_of(host.begin(), host.end(),
                       [](char c) { return absl::ascii_isxdigit(c) || c == ':' || c == '.'; });
  }
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-';
  });
}

bool IsLoopback(absl::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  const std::vector<absl::string_view> parts = absl::StrSplit(host, '.');
  return parts.size() == 4 && parts[0] == "127" &&
         std::all_of(parts.begin(), parts.end(), [](absl::string_view part) {
           uint32_t value = 0;
           return absl::SimpleAtoi(part, &value) && value <= 255;
         });
}

absl::Status BadServer(absl::string_view server) {
  return absl::InvalidArgumentError(absl::StrCat("server ", Quoted(server), ": ", kServerForms));
}

std::string FirstOf(const std::string& flag, std::optional<std::string> variable,
                    const std::string& config) {
  if (!flag.empty()) return flag;
  if (variable.has_value() && !variable->empty()) return *variable;
  return config;
}

// Opened once, looked at and read through the same descriptor: nobody can swap it in between.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

absl::StatusOr<Endpoint> ParseServer(absl::string_view server, bool tls_ca_given) {
  absl::string_view rest = server;
  Endpoint endpoint;
  if (absl::StartsWith(rest, "unix:/")) {
    endpoint = {.target = std::string(rest), .tls = tls_ca_given, .local = true};
    if (std::any_of(rest.begin(), rest.end(), [](char c) { return absl::ascii_iscntrl(c); })) {
      return BadServer(server);
    }
    return endpoint;
  }
  const bool https = absl::ConsumePrefix(&rest, "https://");
  if (!https) absl::ConsumePrefix(&rest, "http://");
  absl::ConsumeSuffix(&rest, "/");
  const size_t colon = rest.rfind(':');
  if (colon == absl::string_view::npos) return BadServer(server);
  const absl::string_view host = rest.substr(0, colon);
  uint32_t port = 0;
  if (!IsHost(host) || !absl::SimpleAtoi(rest.substr(colon + 1), &port) || port < 1 ||
      port > 65535) {
    return BadServer(server);
  }
  endpoint = {.target = absl::StrCat(host, ":", port),
              .tls = https || tls_ca_given,
              .local = IsLoopback(host)};
  if (!endpoint.tls && !endpoint.local) {
    return absl::InvalidArgumentError(
        absl::StrCat("server ", Quoted(server),
                     ": the token would cross the network in the clear; want https://",
                     endpoint.target, ", or --tls-ca FILE for a farm with its own CA"));
  }
  return endpoint;
}

absl::StatusOr<ConnectionFlags> FindSettings(const ConnectionFlags& flags,
                                             const Environment& environment) {
  const std::string path = ConfigPath(environment);
  ASSIGN_OR_RETURN(const v1::CliConfig config, ReadConfig(path));
  const std::string name = FirstOf(flags.context, environment("SHAKEDOWN_CONTEXT"), "");
  ASSIGN_OR_RETURN(const v1::CliConfig::Context context, FindContext(config, name));
  const std::string server =
      FirstOf(flags.server, environment("SHAKEDOWN_SERVER"), context.server());
  // A context's token is for its own farm: another one must never get it.
  const v1::CliConfig::Context own =
      server == context.server() ? context : v1::CliConfig::Context();
  ConnectionFlags found = {
      .context = own.name(),
      .server = server,
      .token_file =
          FirstOf(flags.token_file, environment("SHAKEDOWN_TOKEN_FILE"), own.token_file()),
      .tls_ca = FirstOf(flags.tls_ca, environment("SHAKEDOWN_TLS_CA"), own.tls_ca())};
  const std::string place = path.empty() ? "config.txtpb" : path;
  if (found.server.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        config.contexts_size() > 1
            ? "no farm is chosen: give --context NAME, or shakedown contexts use NAME; they are in "
            : "no farm is known: give --server HOST:PORT, set SHAKEDOWN_SERVER, or shakedown "
              "contexts set (deploy/quickstart does it); none is in ",
        place));
  }
  if (found.token_file.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no token is known for ", Quoted(found.server),
        ": give --token-file FILE, set SHAKEDOWN_TOKEN_FILE, or add token_file to its context in ",
        place));
  }
  return found;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  const std::string what = absl::StrCat("token file ", Quoted(path));
  const OpenFile file(path);
  if (file.fd() < 0) return ErrnoStatus(errno, what);
  struct stat info = {};
  if (fstat(file.fd(), &info) != 0) return ErrnoStatus(errno, what);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": is not a regular file"));
  }
  if ((info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(absl::StrFormat(
        "%s: mode %04o lets others at it, want 0600: run chmod 600 on it, and take a new token if "
        "others may have read it",
        what, info.st_mode & 07777));
  }
  std::string buffer(kMaxToken + 1, '\0');
  const ssize_t size = read(file.fd(), buffer.data(), buffer.size());
  if (size < 0) return ErrnoStatus(errno, what);
  buffer.resize(static_cast<size_t>(size));
  const absl::string_view token = absl::StripAsciiWhitespace(buffer);
  if (token.empty() || buffer.size() > kMaxToken ||
      !std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); })) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": holds no token: want one word of at most ", kMaxToken, " printable characters"));
  }
  return std::string(token);
}

}  // namespace shakedown::cli
