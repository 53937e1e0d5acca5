#include <utility>

#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "controller/service/streams.h"
#include "proto/wire/clock.h"
#include "proto/wire/status.h"
#include "shakedown/v1/farm.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;
constexpr store::Role kUser = store::Role::kUser;

using WatchCall = SteppedCall<v1::JobView, JobWatch>;
using LogCall = SteppedCall<v1::LogChunk, LogFollow>;

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

class FarmServiceImpl : public UserService<v1::FarmService::CallbackService> {
 public:
  using UserService::UserService;

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
  Unary* SetMachine(Context* context, const v1::SetMachineRequest* request,
                    v1::SetMachineResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.farm.SetMachine(caller, r);
    });
  }
  Unary* SignBuild(Context* context, const v1::SignBuildRequest* request,
                   v1::SignBuildResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.farm.SignBuild(caller, r);
    });
  }
  Unary* GetReport(Context* context, const v1::GetReportRequest* request,
                   v1::GetReportResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.GetReport(r); });
  }
  Unary* Reproduce(Context* context, const v1::ReproduceRequest* request,
                   v1::ReproduceResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.farm.Reproduce(r); });
  }
  grpc::ServerWriteReactor<v1::JobView>* WatchJob(Context* context,
                                                  const v1::GetJobRequest* request) override {
    auto* call = new WatchCall(backend_, context, request->job());
    call->Begin();
    return call;
  }
  grpc::ServerWriteReactor<v1::LogChunk>* ReadLog(Context* context,
                                                  const v1::ReadLogRequest* request) override {
    auto* call = new LogCall(backend_, context, *request);
    call->Begin();
    return call;
  }
};

}  // namespace

std::shared_ptr<grpc::Service> MakeFarmService(Backend backend) {
  return std::make_shared<FarmServiceImpl>(backend);
}

}  // namespace shakedown::service
