#include "controller/cli/grpc_channel.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "controller/cli/input_file.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

// A JobView of 1000 blocks × 26 variants, with the console tails of failed boots.
constexpr int kMaxAnswer = 128 << 20;
constexpr size_t kMaxCa = 1 << 20;

grpc::ChannelArguments Arguments(const Endpoint& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxAnswer);
  // Found again soon after a restart.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // A watched farm whose host vanished is noticed; more often than every 5 min servers refuse.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 310'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  // http_proxy is not meant for this host.
  if (endpoint.local) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(const Endpoint& endpoint,
                                                                      const std::string& tls_ca) {
  if (!endpoint.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  if (!tls_ca.empty()) {
    absl::StatusOr<std::string> pem = ReadInput(tls_ca, kMaxCa);
    if (!pem.ok()) return Annotate(pem.status(), "CA file");
    if (!absl::StrContains(*pem, "-----BEGIN CERTIFICATE-----")) {
      return absl::InvalidArgumentError(
          absl::StrCat("CA file ", tls_ca, ": holds no certificate, want PEM"));
    }
    options.pem_root_certs = *std::move(pem);
  }
  return grpc::SslCredentials(options);
}

}  // namespace

GrpcChannel::GrpcChannel(std::shared_ptr<grpc::Channel> channel, ConnectionFlags settings,
                         const std::string& token)
    : channel_(std::move(channel)),
      settings_(std::move(settings)),
      authorization_(absl::StrCat("Bearer ", token)) {}

absl::StatusOr<std::shared_ptr<GrpcChannel>> GrpcChannel::Open(const ConnectionFlags& settings) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, ParseServer(settings.server, !settings.tls_ca.empty()));
  const absl::StatusOr<std::string> token = ReadToken(settings.token_file);
  if (!token.ok()) return AsNoInput(token.status());
  ASSIGN_OR_RETURN(const std::shared_ptr<grpc::ChannelCredentials> credentials,
                   Credentials(endpoint, settings.tls_ca));
  return std::make_shared<GrpcChannel>(
      grpc::CreateCustomChannel(endpoint.target, credentials, Arguments(endpoint)), settings,
      *token);
}

void GrpcChannel::Prepare(grpc::ClientContext& context, absl::Duration limit) const {
  context.AddMetadata("authorization", authorization_);
  if (limit != absl::InfiniteDuration())
    context.set_deadline(absl::ToChronoTime(absl::Now() + limit));
}

absl::Status GrpcChannel::ToStatus(const grpc::Status& status) const {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  switch (code) {
    case absl::StatusCode::kUnavailable:
      return absl::Status(code, absl::StrCat("the farm at ", settings_.server,
                                             " can not answer: ", status.error_message()));
    case absl::StatusCode::kDeadlineExceeded:
      return absl::Status(code, absl::StrCat("no answer from the farm at ", settings_.server,
                                             " in ", absl::FormatDuration(kCallLimit)));
    case absl::StatusCode::kUnauthenticated:
      return absl::Status(
          code, absl::StrCat("the farm at ", settings_.server, " does not take the token in ",
                             settings_.token_file, ": ", status.error_message()));
    case absl::StatusCode::kUnimplemented:
      return absl::Status(code, absl::StrCat("the farm at ", settings_.server,
                                             " does not know this call: is it a Shakedown "
                                             "controller of this version? ",
                                             status.error_message()));
    default:
      return absl::Status(code, status.error_message());
  }
}

}  // namespace shakedown::cli
