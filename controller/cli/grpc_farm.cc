#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "controller/cli/farm.h"
#include "controller/cli/grpc_channel.h"
#include "proto/wire/status.h"
#include "shakedown/v1/farm.grpc.pb.h"

namespace shakedown::cli {
namespace {

constexpr absl::Duration kUploadLimit = absl::Hours(2);
constexpr std::chrono::milliseconds kTick(250);

class GrpcFarm : public Farm {
 public:
  explicit GrpcFarm(std::shared_ptr<GrpcChannel> channel)
      : channel_(std::move(channel)), stub_(v1::FarmService::NewStub(channel_->channel())) {}

  absl::StatusOr<v1::SubmitJobResponse> SubmitJob(const v1::SubmitJobRequest& request) override {
    return Call(&v1::FarmService::Stub::SubmitJob, request);
  }
  absl::StatusOr<v1::PlanJobResponse> PlanJob(const v1::PlanJobRequest& request) override {
    return Call(&v1::FarmService::Stub::PlanJob, request);
  }
  absl::StatusOr<v1::JobView> GetJob(const v1::GetJobRequest& request) override {
    return Call(&v1::FarmService::Stub::GetJob, request);
  }
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) override {
    return Call(&v1::FarmService::Stub::ListJobs, request);
  }
  absl::StatusOr<v1::CancelJobResponse> CancelJob(const v1::CancelJobRequest& request) override {
    return Call(&v1::FarmService::Stub::CancelJob, request);
  }
  absl::StatusOr<v1::ListAgentsResponse> ListAgents() override {
    return Call(&v1::FarmService::Stub::ListAgents, v1::ListAgentsRequest());
  }
  absl::StatusOr<v1::ListMachinesResponse> ListMachines() override {
    return Call(&v1::FarmService::Stub::ListMachines, v1::ListMachinesRequest());
  }
  absl::StatusOr<v1::ListKernelsResponse> ListKernels() override {
    return Call(&v1::FarmService::Stub::ListKernels, v1::ListKernelsRequest());
  }
  absl::StatusOr<v1::AddKernelResponse> AddKernel(const v1::AddKernelRequest& request) override {
    return Call(&v1::FarmService::Stub::AddKernel, request);
  }
  absl::StatusOr<v1::RemoveKernelResponse> RemoveKernel(
      const v1::RemoveKernelRequest& request) override {
    return Call(&v1::FarmService::Stub::RemoveKernel, request);
  }
  absl::StatusOr<v1::ListInputsResponse> ListInputs() override {
    return Call(&v1::FarmService::Stub::ListInputs, v1::ListInputsRequest());
  }
  absl::StatusOr<v1::AddInputResponse> AddInput(
      const std::string& name, const std::function<absl::StatusOr<std::string>()>& next) override {
    grpc::ClientContext context;
    channel_->Prepare(context, kUploadLimit);
    v1::AddInputResponse response;
    const auto stream = stub_->AddInput(&context, &response);
    v1::AddInputRequest message;
    message.set_name(name);
    absl::StatusOr<std::string> piece = next();
    while (piece.ok() && !piece->empty()) {
      message.set_data(*std::move(piece));
      if (!stream->Write(message)) break;  // The farm has answered already.
      message.clear_name();
      piece = next();
    }
    message.clear_data();
    if (piece.ok()) stream->Write(message);
    if (!piece.ok()) context.TryCancel();
    stream->WritesDone();
    const absl::Status status = channel_->ToStatus(stream->Finish());
    RETURN_IF_ERROR(piece.status());
    RETURN_IF_ERROR(status);
    return response;
  }
  absl::StatusOr<v1::ListBuildsResponse> ListBuilds(const v1::ListBuildsRequest& request) override {
    return Call(&v1::FarmService::Stub::ListBuilds, request);
  }
  absl::StatusOr<v1::SetMachineResponse> SetMachine(const v1::SetMachineRequest& request) override {
    return Call<v1::SetMachineResponse>(&v1::FarmService::Stub::SetMachine, request);
  }
  absl::StatusOr<v1::SignBuildResponse> SignBuild(const v1::SignBuildRequest& request) override {
    return Call<v1::SignBuildResponse>(&v1::FarmService::Stub::SignBuild, request);
  }
  absl::StatusOr<v1::GetReportResponse> GetReport(const v1::GetReportRequest& request) override {
    return Call(&v1::FarmService::Stub::GetReport, request);
  }
  absl::StatusOr<v1::ReproduceResponse> Reproduce(const v1::ReproduceRequest& request) override {
    return Call(&v1::FarmService::Stub::Reproduce, request);
  }

  void AwaitConnection(absl::Duration limit) override {
    channel_->channel()->WaitForConnected(std::chrono::system_clock::now() +
                                          absl::ToChronoMilliseconds(limit));
  }

  absl::Status WatchJob(const v1::GetJobRequest& request,
                        const std::function<Next(const v1::JobView*)>& on) override {
    return Stream<v1::JobView>(&v1::FarmService::Stub::PrepareAsyncWatchJob, request, on);
  }
  absl::Status ReadLog(const v1::ReadLogRequest& request,
                       const std::function<Next(const v1::LogChunk*)>& on) override {
    return Stream<v1::LogChunk>(&v1::FarmService::Stub::PrepareAsyncReadLog, request, on);
  }

 private:
  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(grpc::Status (v1::FarmService::Stub::*method)(grpc::ClientContext*,
                                                                              const Request&,
                                                                              Response*),
                                const Request& request) {
    return channel_->Call(*stub_, method, request);
  }

  // Through a completion queue, because a blocking read can not look at Ctrl-C or the clock.
  template <typename Message, typename Request>
  absl::Status Stream(std::unique_ptr<grpc::ClientAsyncReader<Message>> (
                          v1::FarmService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                          grpc::CompletionQueue*),
                      const Request& request, const std::function<Next(const Message*)>& on) {
    grpc::ClientContext context;
    channel_->Prepare(context, absl::InfiniteDuration());
    grpc::CompletionQueue queue;
    auto reader = (stub_.get()->*method)(&context, request, &queue);
    Message message;
    bool stopped = false;
    // One operation is under way at a time: the start, then reads, then the finish.
    const auto wait = [&] {
      void* tag = nullptr;
      bool ok = false;
      while (queue.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kTick) ==
             grpc::CompletionQueue::TIMEOUT) {
        if (!stopped && on(nullptr) == Next::kStop) {
          stopped = true;
          context.TryCancel();
        }
      }
      return ok;
    };
    reader->StartCall(nullptr);
    bool alive = wait();
    while (alive) {
      reader->Read(&message, nullptr);
      alive = wait();
      if (!alive || stopped) continue;
      if (on(&message) == Next::kStop) {
        stopped = true;
        context.TryCancel();
      }
    }
    grpc::Status end;
    reader->Finish(&end, nullptr);
    wait();
    queue.Shutdown();
    return stopped ? absl::CancelledError("stopped") : channel_->ToStatus(end);
  }

  const std::shared_ptr<GrpcChannel> channel_;
  const std::unique_ptr<v1::FarmService::Stub> stub_;
};

}  // namespace

std::unique_ptr<Farm> MakeGrpcFarm(std::shared_ptr<GrpcChannel> channel) {
  return std::make_unique<GrpcFarm>(std::move(channel));
}

}  // namespace shakedown::cli
