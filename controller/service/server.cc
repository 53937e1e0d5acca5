#include "controller/service/server.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "controller/service/health.h"
#include "controller/service/reflection.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

// A BootResult with 32 load runs at their limits of output and telemetry, or a kernel with some
// patches.
constexpr int kMaxMessage = 32 << 20;
constexpr absl::Duration kHealthEvery = absl::Seconds(1);

bool IsLoopback(absl::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  const std::vector<absl::string_view> parts = absl::StrSplit(host, '.');
  return parts.size() == 4 && parts[0] == "127" &&
         std::all_of(parts.begin(), parts.end(), [](absl::string_view part) {
           int number;
           return !part.empty() && part.size() <= 3 &&
                  std::all_of(part.begin(), part.end(), absl::ascii_isdigit) &&
                  absl::SimpleAtoi(part, &number) && number <= 255;
         });
}

std::shared_ptr<grpc::ServerCredentials> Credentials(const ServerOptions& options) {
  if (options.tls_certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions ssl;
  ssl.pem_key_cert_pairs.push_back({options.tls_key, options.tls_certificate});
  return grpc::SslServerCredentials(ssl);
}

// gRPC writes to stderr by itself, several lines for one port in use; what matters comes back as a
// status.
void QuietLibrary() {
  gpr_set_log_function([](gpr_log_func_args* line) { spdlog::debug("grpc: {}", line->message); });
}

class GrpcServer : public Server {
 public:
  GrpcServer(const Backend& backend)
      : database_(backend.database),
        dispatcher_(backend.dispatcher),
        services_{MakeFarmService(backend), MakeAgentService(backend), MakeHistoryService(backend),
                  MakeImportService(backend)} {}

  absl::Status Bind(const ServerOptions& options) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options.listen, Credentials(options), &port_);
    for (const auto& service : services_) builder.RegisterService(service.get());
    builder.SetMaxReceiveMessageSize(kMaxMessage);
    // What all connections together may buffer.
    builder.SetResourceQuota(grpc::ResourceQuota("controller").Resize(512 << 20));
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 256);
    // A peer that is gone without a word (a laptop that reboots) does not hold its long poll for
    // ever.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    server_ = builder.BuildAndStart();
    if (server_ != nullptr) return KeepHealth();
    return absl::UnavailableError(absl::StrCat(
        "address ", Quoted(options.listen), ": can not be bound, want a free one of this host",
        options.tls_certificate.empty() ? "" : " and a certificate with its key in PEM"));
  }

  int port() const override { return port_; }

  void Stop(absl::Duration limit) override {
    dispatcher_.BeginStop();
    server_->GetHealthCheckService()->Shutdown();
    server_->Shutdown(absl::ToChronoTime(absl::Now() + limit));
    server_->Wait();
    health_.reset();
  }

 private:
  // Until the database has answered for the first time nothing is served.
  absl::Status KeepHealth() {
    grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
    health->SetServingStatus(false);
    health_ = std::make_unique<HealthKeeper>(
        database_, kHealthEvery, [health](bool serves) { health->SetServingStatus(serves); });
    return absl::OkStatus();
  }

  store::Database& database_;
  Dispatcher& dispatcher_;
  const std::vector<std::shared_ptr<grpc::Service>> services_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<HealthKeeper> health_;
  int port_ = 0;
};

}  // namespace

absl::Status CheckListen(absl::string_view listen, bool tls) {
  const absl::string_view whole = listen;
  if (absl::ConsumePrefix(&listen, "unix:")) {
    if (!listen.empty()) return absl::OkStatus();
  }
  const size_t colon = listen.rfind(':');
  int port = -1;
  if (colon == absl::string_view::npos || colon == 0 ||
      !absl::SimpleAtoi(listen.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen ", Quoted(whole), ": want HOST:PORT, [IPV6]:PORT or unix:/PATH"));
  }
  if (tls || IsLoopback(listen.substr(0, colon))) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("--listen ", Quoted(whole),
                   ": would send tokens over the network in the clear, want a loopback address "
                   "(127.0.0.1) or --tls-cert and --tls-key"));
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const Backend& backend) {
  const absl::Status checked = CheckListen(options.listen, !options.tls_certificate.empty());
  if (!checked.ok()) return checked;
  QuietLibrary();
  grpc::EnableDefaultHealthCheckService(true);
  EnableReflection();
  auto server = std::make_unique<GrpcServer>(backend);
  const absl::Status bound = server->Bind(options);
  if (!bound.ok()) return bound;
  return server;
}

}  // namespace shakedown::service
