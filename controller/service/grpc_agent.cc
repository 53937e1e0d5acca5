#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "proto/wire/clock.h"
#include "proto/wire/status.h"
#include "shakedown/v1/agent.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;
constexpr store::Role kAgent = store::Role::kAgent;

// One long poll. Holds no thread while it waits. Deletes itself with its answer.
class SyncCall {
 public:
  SyncCall(const Backend& backend, Context* context, const v1::SyncRequest* request,
           v1::SyncResponse* response)
      : backend_(backend),
        context_(context),
        request_(request),
        response_(response),
        reactor_(context->DefaultReactor()),
        until_(SystemClock().Elapsed() + absl::Milliseconds(request->wait_ms())) {}

  Unary* Begin() {
    Unary* reactor = reactor_;  // This object may be gone when TryRun() returns.
    if (!backend_.dispatcher.TryRun([this] { FirstLook(); })) Answer(TooBusy());
    return reactor;
  }

 private:
  static constexpr absl::Duration kPause = absl::Seconds(2);

  void FirstLook() {
    const absl::StatusOr<store::Principal> caller = CallerOf(*context_, backend_.database, kAgent);
    if (!caller.ok()) return Answer(ToGrpc(caller.status()));
    const absl::Status checked = backend_.agents.CheckSync(*caller, *request_);
    if (!checked.ok()) return Answer(ToGrpc(checked));
    Look();
  }

  void Look() {
    if (context_->IsCancelled()) return Answer(grpc::Status::CANCELLED);
    const uint64_t hints = backend_.dispatcher.hints();
    bool news = false;
    absl::StatusOr<v1::SyncResponse> answer = backend_.agents.Sync(*request_, news);
    if (!answer.ok()) return Answer(ToGrpc(answer.status()));
    const absl::Duration left = until_ - SystemClock().Elapsed();
    if (news || left <= absl::ZeroDuration() || backend_.dispatcher.stopping()) {
      *response_ = *std::move(answer);
      return Answer(grpc::Status::OK);
    }
    backend_.dispatcher.RunLater(std::min(kPause, left), hints, [this] { Look(); });
  }

  void Answer(const grpc::Status& status) {
    Unary* reactor = reactor_;
    delete this;
    reactor->Finish(status);
  }

  const Backend backend_;
  Context* const context_;
  const v1::SyncRequest* const request_;
  v1::SyncResponse* const response_;
  Unary* const reactor_;
  const absl::Duration until_;
};

class PutCall : public UploadCall<v1::PutArtefactRequest> {
 public:
  PutCall(const Backend& backend, Context* context, v1::PutArtefactResponse* response)
      : UploadCall(backend, context, kAgent), response_(response) {}

 private:
  absl::StatusOr<bool> Take(const v1::PutArtefactRequest& message) override {
    if (upload_) {
      RETURN_IF_ERROR(backend().agents.ContinueUpload(*upload_, message));
    } else {
      ASSIGN_OR_RETURN(upload_, backend().agents.BeginUpload(message));
    }
    response_->set_existed(upload_->existed);
    return !upload_->existed;
  }

  absl::Status EndOfStream() override {
    if (upload_) return backend().agents.FinishUpload(*upload_);
    return absl::InvalidArgumentError(
        "artefact: no message came, want one with its digest and size first");
  }

  v1::PutArtefactResponse* const response_;
  std::optional<Upload> upload_;
};

class GetCall : public StreamCall<v1::ArtefactChunk> {
 public:
  GetCall(const Backend& backend, Context* context, const v1::GetArtefactRequest* request)
      : StreamCall(backend, context, kAgent), request_(*request) {}

 private:
  void Step() override {
    if (reader_ == nullptr) {
      absl::StatusOr<std::unique_ptr<ArtefactReader>> reader =
          backend().agents.OpenArtefact(request_);
      if (!reader.ok()) return End(reader.status());
      reader_ = *std::move(reader);
    }
    absl::StatusOr<v1::ArtefactChunk> chunk = backend().agents.ReadArtefact(request_, *reader_);
    if (!chunk.ok() || chunk->data().empty()) return End(chunk.status());
    Send(*std::move(chunk));
  }

  const v1::GetArtefactRequest request_;
  std::unique_ptr<ArtefactReader> reader_;
};

class AgentServiceImpl : public v1::AgentService::CallbackService {
 public:
  explicit AgentServiceImpl(const Backend& backend) : backend_(backend) {}

  Unary* Sync(Context* context, const v1::SyncRequest* request,
              v1::SyncResponse* response) override {
    return (new SyncCall(backend_, context, request, response))->Begin();
  }
  Unary* ReportBoot(Context* context, const v1::BootResult* request,
                    v1::ReportBootResponse* response) override {
    return RunUnary(backend_, kAgent, context, request, response,
                    [this](const auto& caller, const auto& result) {
                      return backend_.agents.ReportBoot(caller, result);
                    });
  }
  Unary* ReportBuild(Context* context, const v1::BuildResult* request,
                     v1::ReportBuildResponse* response) override {
    return RunUnary(backend_, kAgent, context, request, response,
                    [this](const auto& caller, const auto& result) {
                      return backend_.agents.ReportBuild(caller, result);
                    });
  }
  Unary* AppendLog(Context* context, const v1::AppendLogRequest* request,
                   v1::AppendLogResponse* response) override {
    return RunUnary(backend_, kAgent, context, request, response,
                    [this](const auto& caller, const auto& piece) {
                      return backend_.agents.AppendLog(caller, piece);
                    });
  }
  grpc::ServerReadReactor<v1::PutArtefactRequest>* PutArtefact(
      Context* context, v1::PutArtefactResponse* response) override {
    auto* call = new PutCall(backend_, context, response);
    call->Begin();
    return call;
  }
  grpc::ServerWriteReactor<v1::ArtefactChunk>* GetArtefact(
      Context* context, const v1::GetArtefactRequest* request) override {
    auto* call = new GetCall(backend_, context, request);
    call->Begin();
    return call;
  }

 private:
  const Backend backend_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeAgentService(Backend backend) {
  return std::make_shared<AgentServiceImpl>(backend);
}

}  // namespace shakedown::service
