#include <optional>
#include <string>

#include "absl/time/time.h"
#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "proto/wire/clock.h"
#include "proto/wire/status.h"
#include "shakedown/v1/farm.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;
constexpr store::Role kUser = store::Role::kUser;

// The job as it stands, then every change, until it has ended. Progress is no change to the store:
// it is looked at every kProgress. A database that is away for less than kPatience does not end the
// stream.
class WatchCall : public StreamCall<v1::JobView> {
 public:
  WatchCall(const Backend& backend, Context* context, const v1::GetJobRequest* request)
      : StreamCall(backend, context, kUser), job_(request->job()) {}

 private:
  static constexpr absl::Duration kPause = absl::Seconds(1);
  static constexpr absl::Duration kProgress = absl::Seconds(2);
  // A job of thousands of boots takes the database some time to tell.
  static constexpr size_t kLarge = 256 << 10;
  static constexpr absl::Duration kProgressOfLarge = absl::Seconds(15);
  static constexpr absl::Duration kPatience = absl::Seconds(30);

  void Step() override {
    if (ended_) return End(absl::OkStatus());
    const uint64_t hints = backend().dispatcher.hints();
    const absl::Duration now = SystemClock().Elapsed();
    const absl::StatusOr<int64_t> version = backend().farm.JobVersion(job_);
    if (!version.ok()) return Lost(version.status(), now);
    const absl::Duration often = sent_.size() > kLarge ? kProgressOfLarge : kProgress;
    if (version_ == *version && now - looked_ < often) return Later(kPause, hints);
    absl::StatusOr<v1::JobView> view = backend().farm.GetJob(job_);
    if (!view.ok()) return Lost(view.status(), now);
    reached_ = looked_ = now;
    version_ = *version;
    ended_ = view->state() != v1::JOB_STATE_ACTIVE;
    std::string bytes = view->SerializeAsString();
    if (bytes == sent_ && !ended_) return Later(kPause, hints);
    sent_ = std::move(bytes);
    Send(*std::move(view));
  }

  void Lost(const absl::Status& status, absl::Duration now) {
    const bool patient = absl::IsUnavailable(status) && version_ && now - reached_ < kPatience;
    return patient ? Later(kPause, std::nullopt) : End(status);
  }

  const int64_t job_;
  std::optional<int64_t> version_;
  absl::Duration looked_;
  absl::Duration reached_;
  std::string sent_;
  bool ended_ = false;
};

class LogCall : public StreamCall<v1::LogChunk> {
 public:
  LogCall(const Backend& backend, Context* context, const v1::ReadLogRequest* request)
      : StreamCall(backend, context, kUser), request_(*request), offset_(request->offset()) {}

 private:
  static constexpr absl::Duration kPause = absl::Milliseconds(500);  // Log bytes give no hint.

  void Step() override {
    if (stream_.empty()) {
      absl::StatusOr<std::string> stream = backend().farm.FindLog(request_.name());
      if (!stream.ok()) return End(stream.status());
      stream_ = *std::move(stream);
    }
    absl::StatusOr<FarmApi::LogPiece> piece = backend().farm.ReadLog(stream_, offset_);
    if (!piece.ok()) return End(piece.status());
    if (!piece->chunk.data().empty()) {
      offset_ += piece->chunk.data().size();
      return Send(std::move(piece->chunk));
    }
    if (piece->finished || !request_.follow()) return End(absl::OkStatus());
    Later(kPause, std::nullopt);
  }

  const v1::ReadLogRequest request_;
  uint64_t offset_;
  std::string stream_;
};

class AddInputCall : public UploadCall<v1::AddInputRequest> {
 public:
  AddInputCall(const Backend& backend, Context* context, v1::AddInputResponse* response)
      : UploadCall(backend, context, kUser), response_(response) {}

 private:
  // An empty message is the end: a stream that broke off is no archive, though it may look like
  // one.
  absl::StatusOr<bool> Take(const v1::AddInputRequest& message) override {
    if (!upload_) {
      ASSIGN_OR_RETURN(upload_, backend().farm.BeginInput(message));
    } else if (message.data().empty()) {
      ASSIGN_OR_RETURN(*response_, backend().farm.FinishInput(caller(), *upload_));
      return false;
    }
    RETURN_IF_ERROR(backend().farm.ContinueInput(*upload_, message));
    return true;
  }

  absl::Status EndOfStream() override {
    return absl::InvalidArgumentError(
        "input: the archive broke off, want its name first and an empty message at its end");
  }

  v1::AddInputResponse* const response_;
  std::optional<InputUpload> upload_;
};

class FarmServiceImpl : public v1::FarmService::CallbackService {
 public:
  explicit FarmServiceImpl(const Backend& backend) : backend_(backend) {}

  Unary* SubmitJob(Context* context, const v1::SubmitJobRequest* request,
                   v1::SubmitJobResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.farm.SubmitJob(caller, r);
    });
  }
  Unary* PlanJob(Context* context, const v1::PlanJobRequest* request,
                 v1::PlanJobResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.PlanJob(r); });
  }
  Unary* GetJob(Context* context, const v1::GetJobRequest* request,
                v1::JobView* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.GetJob(r.job()); });
  }
  Unary* ListJobs(Context* context, const v1::ListJobsRequest* request,
                  v1::ListJobsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.ListJobs(r); });
  }
  Unary* CancelJob(Context* context, const v1::CancelJobRequest* request,
                   v1::CancelJobResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.CancelJob(r); });
  }
  Unary* ListAgents(Context* context, const v1::ListAgentsRequest* request,
                    v1::ListAgentsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto&) { return backend_.farm.ListAgents(); });
  }
  Unary* ListMachines(Context* context, const v1::ListMachinesRequest* request,
                      v1::ListMachinesResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto&) { return backend_.farm.ListMachines(); });
  }
  Unary* ListKernels(Context* context, const v1::ListKernelsRequest* request,
                     v1::ListKernelsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto&) { return backend_.farm.ListKernels(); });
  }
  Unary* AddKernel(Context* context, const v1::AddKernelRequest* request,
                   v1::AddKernelResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.farm.AddKernel(caller, r);
    });
  }
  Unary* RemoveKernel(Context* context, const v1::RemoveKernelRequest* request,
                      v1::RemoveKernelResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.RemoveKernel(r); });
  }
  grpc::ServerReadReactor<v1::AddInputRequest>* AddInput(Context* context,
                                                         v1::AddInputResponse* response) override {
    auto* call = new AddInputCall(backend_, context, response);
    call->Begin();
    return call;
  }
  Unary* ListInputs(Context* context, const v1::ListInputsRequest* request,
                    v1::ListInputsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto&) { return backend_.farm.ListInputs(); });
  }
  Unary* ListBuilds(Context* context, const v1::ListBuildsRequest* request,
                    v1::ListBuildsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.ListBuilds(r); });
  }
  Unary* GetReport(Context* context, const v1::GetReportRequest* request,
                   v1::GetReportResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.GetReport(r); });
  }
  grpc::ServerWriteReactor<v1::JobView>* WatchJob(Context* context,
                                                  const v1::GetJobRequest* request) override {
    auto* call = new WatchCall(backend_, context, request);
    call->Begin();
    return call;
  }
  grpc::ServerWriteReactor<v1::LogChunk>* ReadLog(Context* context,
                                                  const v1::ReadLogRequest* request) override {
    auto* call = new LogCall(backend_, context, request);
    call->Begin();
    return call;
  }

 private:
  template <typename Request, typename Response, typename Body>
  Unary* Run(Context* context, const Request* request, Response* response, Body body) {
    return RunUnary(backend_, kUser, context, request, response, std::move(body));
  }

  const Backend backend_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeFarmService(Backend backend) {
  return std::make_shared<FarmServiceImpl>(backend);
}

}  // namespace shakedown::service
