#include "agent/session/farm_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "shakedown/v1/agent.grpc.pb.h"

namespace shakedown::agent {
namespace {

constexpr int kUnarySeconds = 30;
constexpr int kSyncSlackSeconds = 20;       // Beyond the long poll.
constexpr uint64_t kSlowestLink = 1 << 20;  // Bytes a second that a transfer must reach.
constexpr size_t kPiece = 256 << 10;
// Orders carry whole kernel configurations, results whole load outputs.
constexpr int kMaxMessage = 64 << 20;

absl::Status FromGrpc(const grpc::Status& status, absl::string_view call) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      absl::StrCat(call, ": ", status.error_message()));
}

bool StaysOnThisHost(absl::string_view server) {
  if (absl::StartsWith(server, "unix:")) return true;
  const absl::string_view host = server.substr(0, server.rfind(':'));
  return host == "localhost" || host == "[::1]" || absl::StartsWith(host, "127.");
}

class GrpcFarmClient : public FarmClient {
 public:
  GrpcFarmClient(std::shared_ptr<grpc::Channel> channel, const std::string& token)
      : stub_(v1::AgentService::NewStub(std::move(channel))),
        authorization_(absl::StrCat("Bearer ", token)) {}

  absl::StatusOr<v1::SyncResponse> Sync(const v1::SyncRequest& request,
                                        CallCanceller& canceller) override {
    Call call(*this, std::chrono::milliseconds(request.wait_ms()) +
                         std::chrono::seconds(kSyncSlackSeconds));
    canceller.Attach([&call] { call.context.TryCancel(); });
    v1::SyncResponse response;
    const grpc::Status status = stub_->Sync(&call.context, request, &response);
    canceller.Detach();
    RETURN_IF_ERROR(FromGrpc(status, "Sync"));
    return response;
  }

  absl::Status ReportBoot(const v1::BootResult& result) override {
    Call call(*this, std::chrono::seconds(kUnarySeconds));
    v1::ReportBootResponse response;
    return FromGrpc(stub_->ReportBoot(&call.context, result, &response), "ReportBoot");
  }

  absl::Status ReportBuild(const v1::BuildResult& result) override {
    Call call(*this, std::chrono::seconds(kUnarySeconds));
    v1::ReportBuildResponse response;
    return FromGrpc(stub_->ReportBuild(&call.context, result, &response), "ReportBuild");
  }

  absl::StatusOr<uint64_t> AppendLog(const v1::AppendLogRequest& request) override {
    Call call(*this, std::chrono::seconds(kUnarySeconds));
    v1::AppendLogResponse response;
    RETURN_IF_ERROR(FromGrpc(stub_->AppendLog(&call.context, request, &response), "AppendLog"));
    return response.end();
  }

  absl::Status PutArtefact(const v1::Artefact& artefact, const std::string& path) override {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
    if (file == nullptr) return ErrnoStatus(errno, path);
    Call call(*this, Transfer(artefact.size()));
    v1::PutArtefactResponse response;
    auto writer = stub_->PutArtefact(&call.context, &response);
    v1::PutArtefactRequest request;
    *request.mutable_artefact() = artefact;
    std::vector<char> buffer(kPiece);
    // The farm ends the stream early when it has the artefact already: then Write is false.
    while (writer->Write(request)) {
      const size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
      if (got == 0) break;
      request.clear_artefact();
      request.set_data(buffer.data(), got);
    }
    if (std::ferror(file.get()) != 0) {
      call.context.TryCancel();
      return ErrnoStatus(EIO, path);
    }
    writer->WritesDone();
    return FromGrpc(writer->Finish(), "PutArtefact");
  }

  absl::Status GetArtefact(const std::string& sha256, uint64_t size,
                           const std::function<absl::Status(absl::string_view)>& sink) override {
    Call call(*this, Transfer(size));
    v1::GetArtefactRequest request;
    request.set_sha256(sha256);
    auto reader = stub_->GetArtefact(&call.context, request);
    v1::ArtefactChunk chunk;
    absl::Status sunk;
    while (sunk.ok() && reader->Read(&chunk)) sunk = sink(chunk.data());
    if (!sunk.ok()) call.context.TryCancel();
    const grpc::Status finished = reader->Finish();
    return sunk.ok() ? FromGrpc(finished, "GetArtefact") : sunk;
  }

  void Close() override {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    for (grpc::ClientContext* context : in_flight_) context->TryCancel();
  }

 private:
  // A context that Close() can end.
  struct Call {
    template <typename Duration>
    Call(GrpcFarmClient& client, Duration limit) : client(client) {
      context.set_deadline(std::chrono::system_clock::now() + limit);
      context.AddMetadata("authorization", client.authorization_);
      std::lock_guard<std::mutex> lock(client.mutex_);
      client.in_flight_.insert(&context);
      if (client.closed_) context.TryCancel();
    }
    ~Call() {
      std::lock_guard<std::mutex> lock(client.mutex_);
      client.in_flight_.erase(&context);
    }
    GrpcFarmClient& client;
    grpc::ClientContext context;
  };

  static std::chrono::seconds Transfer(uint64_t size) {
    return std::chrono::seconds(60 + size / kSlowestLink);
  }

  const std::unique_ptr<v1::AgentService::Stub> stub_;
  const std::string authorization_;
  std::mutex mutex_;
  bool closed_ = false;
  std::set<grpc::ClientContext*> in_flight_;
};

}  // namespace

void CallCanceller::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (cancel_) cancel_();
}

bool CallCanceller::Cancelled() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return cancelled_;
}

void CallCanceller::Attach(std::function<void()> cancel) {
  std::lock_guard<std::mutex> lock(mutex_);
  cancel_ = std::move(cancel);
  if (cancelled_) cancel_();
}

void CallCanceller::Detach() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancel_ = nullptr;
}

absl::StatusOr<std::unique_ptr<FarmClient>> MakeFarmClient(const FarmAddress& address) {
  if (address.tls_ca.empty() && !StaysOnThisHost(address.server)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "server ", Quoted(address.server),
        " is another host: want --tls-ca, so that the token is not sent in the clear"));
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessage);
  // Our own backoff governs; the channel only must not sleep longer than it.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  // What this really is: how long TCP and TLS may take together before an attempt is given up. A
  // laptop that has just started, or is far away, needs more than two seconds.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 3000);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (address.tls_ca.empty()) {
    credentials = grpc::InsecureChannelCredentials();
  } else {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = address.tls_ca;
    credentials = grpc::SslCredentials(options);
  }
  return std::make_unique<GrpcFarmClient>(
      grpc::CreateCustomChannel(address.server, credentials, arguments), address.token);
}

}  // namespace shakedown::agent
