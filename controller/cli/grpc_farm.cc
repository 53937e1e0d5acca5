#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/farm.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "shakedown/v1/farm.grpc.pb.h"

namespace shakedown::cli {
namespace {

constexpr std::chrono::seconds kCallLimit(30);
constexpr std::chrono::hours kUploadLimit(2);
constexpr std::chrono::milliseconds kTick(250);
// A JobView of 1000 blocks × 26 variants, with the console tails of failed boots.
constexpr int kMaxAnswer = 128 << 20;
constexpr size_t kMaxCa = 1 << 20;

class GrpcFarm : public Farm {
 public:
  GrpcFarm(const std::shared_ptr<grpc::Channel>& channel, ConnectionFlags settings,
           absl::string_view token)
      : channel_(channel),
        stub_(v1::FarmService::NewStub(channel)),
        settings_(std::move(settings)),
        authorization_(absl::StrCat("Bearer ", token)) {}

  absl::StatusOr<v1::SubmitJobResponse> SubmitJob(const v1::SubmitJobRequest& request) override {
    return Call<v1::SubmitJobResponse>(&v1::FarmService::Stub::SubmitJob, request);
  }
  absl::StatusOr<v1::PlanJobResponse> PlanJob(const v1::PlanJobRequest& request) override {
    return Call<v1::PlanJobResponse>(&v1::FarmService::Stub::PlanJob, request);
  }
  absl::StatusOr<v1::JobView> GetJob(const v1::GetJobRequest& request) override {
    return Call<v1::JobView>(&v1::FarmService::Stub::GetJob, request);
  }
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) override {
    return Call<v1::ListJobsResponse>(&v1::FarmService::Stub::ListJobs, request);
  }
  absl::StatusOr<v1::CancelJobResponse> CancelJob(const v1::CancelJobRequest& request) override {
    return Call<v1::CancelJobResponse>(&v1::FarmService::Stub::CancelJob, request);
  }
  absl::StatusOr<v1::ListAgentsResponse> ListAgents() override {
    return Call<v1::ListAgentsResponse>(&v1::FarmService::Stub::ListAgents,
                                        v1::ListAgentsRequest());
  }
  absl::StatusOr<v1::ListMachinesResponse> ListMachines() override {
    return Call<v1::ListMachinesResponse>(&v1::FarmService::Stub::ListMachines,
                                          v1::ListMachinesRequest());
  }
  absl::StatusOr<v1::ListKernelsResponse> ListKernels() override {
    return Call<v1::ListKernelsResponse>(&v1::FarmService::Stub::ListKernels,
                                         v1::ListKernelsRequest());
  }
  absl::StatusOr<v1::AddKernelResponse> AddKernel(const v1::AddKernelRequest& request) override {
    return Call<v1::AddKernelResponse>(&v1::FarmService::Stub::AddKernel, request);
  }
  absl::StatusOr<v1::RemoveKernelResponse> RemoveKernel(
      const v1::RemoveKernelRequest& request) override {
    return Call<v1::RemoveKernelResponse>(&v1::FarmService::Stub::RemoveKernel, request);
  }
  absl::StatusOr<v1::ListInputsResponse> ListInputs() override {
    return Call<v1::ListInputsResponse>(&v1::FarmService::Stub::ListInputs,
                                        v1::ListInputsRequest());
  }
  absl::StatusOr<v1::AddInputResponse> AddInput(
      const std::string& name, const std::function<absl::StatusOr<std::string>()>& next) override {
    grpc::ClientContext context;
    context.AddMetadata("authorization", authorization_);
    context.set_deadline(std::chrono::system_clock::now() + kUploadLimit);
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
    const absl::Status status = ToStatus(stream->Finish());
    RETURN_IF_ERROR(piece.status());
    RETURN_IF_ERROR(status);
    return response;
  }
  absl::StatusOr<v1::ListBuildsResponse> ListBuilds(const v1::ListBuildsRequest& request) override {
    return Call<v1::ListBuildsResponse>(&v1::FarmService::Stub::ListBuilds, request);
  }
  absl::StatusOr<v1::SetMachineResponse> SetMachine(const v1::SetMachineRequest& request) override {
    return Call<v1::SetMachineResponse>(&v1::FarmService::Stub::SetMachine, request);
  }
  absl::StatusOr<v1::SignBuildResponse> SignBuild(const v1::SignBuildRequest& request) override {
    return Call<v1::SignBuildResponse>(&v1::FarmService::Stub::SignBuild, request);
  }
  absl::StatusOr<v1::GetReportResponse> GetReport(const v1::GetReportRequest& request) override {
    return Call<v1::GetReportResponse>(&v1::FarmService::Stub::GetReport, request);
  }
  absl::StatusOr<v1::ReproduceResponse> Reproduce(const v1::ReproduceRequest& request) override {
    return Call<v1::ReproduceResponse>(&v1::FarmService::Stub::Reproduce, request);
  }

  void AwaitConnection(absl::Duration limit) override {
    channel_->WaitForConnected(std::chrono::system_clock::now() +
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
    grpc::ClientContext context;
    context.AddMetadata("authorization", authorization_);
    context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
    Response response;
    RETURN_IF_ERROR(ToStatus((stub_.get()->*method)(&context, request, &response)));
    return response;
  }

  // Through a completion queue, because a blocking read can not look at Ctrl-C or the clock.
  template <typename Message, typename Request>
  absl::Status Stream(std::unique_ptr<grpc::ClientAsyncReader<Message>> (
                          v1::FarmService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                          grpc::CompletionQueue*),
                      const Request& request, const std::function<Next(const Message*)>& on) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", authorization_);
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
    return stopped ? absl::CancelledError("stopped") : ToStatus(end);
  }

  absl::Status ToStatus(const grpc::Status& status) const {
    if (status.ok()) return absl::OkStatus();
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    switch (code) {
      case absl::StatusCode::kUnavailable:
        return absl::Status(code, absl::StrCat("the farm at ", settings_.server,
                                               " can not answer: ", status.error_message()));
      case absl::StatusCode::kDeadlineExceeded:
        return absl::Status(code, absl::StrCat("no answer from the farm at ", settings_.server,
                                               " in ", kCallLimit.count(), " s"));
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

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::FarmService::Stub> stub_;
  ConnectionFlags settings_;
  std::string authorization_;
};

grpc::ChannelArguments Arguments(const Endpoint& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxAnswer);
  // Found again soon after a restart.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  // The time that TCP and TLS have together: a farm may be far away, or busy.
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
    absl::StatusOr<std::string> pem = ReadFile(tls_ca, kMaxCa);
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

absl::StatusOr<std::unique_ptr<Farm>> MakeGrpcFarm(const ConnectionFlags& settings) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, ParseServer(settings.server, !settings.tls_ca.empty()));
  ASSIGN_OR_RETURN(const std::string token, ReadToken(settings.token_file));
  ASSIGN_OR_RETURN(const std::shared_ptr<grpc::ChannelCredentials> credentials,
                   Credentials(endpoint, settings.tls_ca));
  return std::make_unique<GrpcFarm>(
      grpc::CreateCustomChannel(endpoint.target, credentials, Arguments(endpoint)), settings,
      token);
}

}  // namespace shakedown::cli
