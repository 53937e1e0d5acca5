// For tests: whole commands against a farm that speaks gRPC over a Unix socket in this process.
#ifndef SHAKEDOWN_CONTROLLER_CLI_FLOW_TESTING_H_
#define SHAKEDOWN_CONTROLLER_CLI_FLOW_TESTING_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/run.h"
#include "proto/wire/files.h"
#include "shakedown/v1/farm.grpc.pb.h"

namespace shakedown::cli {

// Answers by the functions that a test puts in; the others stay unimplemented.
class FakeService : public v1::FarmService::Service {
 public:
  std::function<grpc::Status(const v1::SubmitJobRequest&, v1::SubmitJobResponse*)> submit;
  std::function<grpc::Status(const v1::PlanJobRequest&, v1::PlanJobResponse*)> plan;
  std::function<grpc::Status(grpc::ServerContext*, grpc::ServerWriter<v1::JobView>*)> watch;
  std::function<grpc::Status(const v1::ReadLogRequest&, grpc::ServerWriter<v1::LogChunk>*)> log;
  std::function<grpc::Status(const v1::AddKernelRequest&, v1::AddKernelResponse*)> add_kernel;
  std::function<grpc::Status(const v1::RemoveKernelRequest&)> remove_kernel;
  std::function<grpc::Status(const v1::SetMachineRequest&, v1::SetMachineResponse*)> set_machine;
  std::function<grpc::Status(const v1::SignBuildRequest&)> sign_build;
  std::function<grpc::Status(const std::string& name, const std::string& archive, bool whole,
                             v1::AddInputResponse*)>
      add_input;
  std::function<grpc::Status(const v1::GetReportRequest&, v1::GetReportResponse*)> report;
  v1::ListJobsResponse jobs;
  v1::ListBuildsResponse builds;
  v1::ListInputsResponse inputs;
  v1::ListKernelsResponse kernels;
  v1::ListMachinesResponse machines;
  v1::JobView job;
  std::function<void()> on_get_job;
  std::string token;  // As the last call had it.

 private:
  void Look(grpc::ServerContext* context) {
    const auto it = context->client_metadata().find("authorization");
    if (it != context->client_metadata().end()) token = {it->second.data(), it->second.size()};
  }
  template <typename Function, typename... Args>
  static grpc::Status Answer(const Function& function, Args&&... args) {
    if (!function) return {grpc::StatusCode::UNIMPLEMENTED, "not in this test"};
    return function(std::forward<Args>(args)...);
  }
  grpc::Status SubmitJob(grpc::ServerContext* context, const v1::SubmitJobRequest* request,
                         v1::SubmitJobResponse* response) override {
    Look(context);
    return Answer(submit, *request, response);
  }
  grpc::Status PlanJob(grpc::ServerContext*, const v1::PlanJobRequest* request,
                       v1::PlanJobResponse* response) override {
    return Answer(plan, *request, response);
  }
  grpc::Status WatchJob(grpc::ServerContext* context, const v1::GetJobRequest*,
                        grpc::ServerWriter<v1::JobView>* writer) override {
    Look(context);
    return Answer(watch, context, writer);
  }
  grpc::Status ReadLog(grpc::ServerContext*, const v1::ReadLogRequest* request,
                       grpc::ServerWriter<v1::LogChunk>* writer) override {
    return Answer(log, *request, writer);
  }
  grpc::Status AddKernel(grpc::ServerContext*, const v1::AddKernelRequest* request,
                         v1::AddKernelResponse* response) override {
    return Answer(add_kernel, *request, response);
  }
  grpc::Status RemoveKernel(grpc::ServerContext*, const v1::RemoveKernelRequest* request,
                            v1::RemoveKernelResponse*) override {
    return Answer(remove_kernel, *request);
  }
  grpc::Status AddInput(grpc::ServerContext*, grpc::ServerReader<v1::AddInputRequest>* reader,
                        v1::AddInputResponse* response) override {
    std::string name, archive;
    bool whole = false;
    for (v1::AddInputRequest message; reader->Read(&message);) {
      if (!message.name().empty()) name = message.name();
      whole = message.name().empty() && message.data().empty();
      archive += message.data();
    }
    return Answer(add_input, name, archive, whole, response);
  }
  grpc::Status ListInputs(grpc::ServerContext*, const v1::ListInputsRequest*,
                          v1::ListInputsResponse* response) override {
    *response = inputs;
    return grpc::Status::OK;
  }
  grpc::Status GetReport(grpc::ServerContext*, const v1::GetReportRequest* request,
                         v1::GetReportResponse* response) override {
    return Answer(report, *request, response);
  }
  grpc::Status Reproduce(grpc::ServerContext*, const v1::ReproduceRequest* request,
                         v1::ReproduceResponse* response) override {
    if (request->boot() != "17.3B") return {grpc::StatusCode::NOT_FOUND, "no such boot"};
    response->set_script("#!/bin/sh\n# \t17.3B\n");
    return grpc::Status::OK;
  }
  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest*,
                        v1::ListJobsResponse* response) override {
    Look(context);
    *response = jobs;
    return grpc::Status::OK;
  }
  grpc::Status ListBuilds(grpc::ServerContext*, const v1::ListBuildsRequest*,
                          v1::ListBuildsResponse* response) override {
    *response = builds;
    return grpc::Status::OK;
  }
  grpc::Status SetMachine(grpc::ServerContext*, const v1::SetMachineRequest* request,
                          v1::SetMachineResponse* response) override {
    return Answer(set_machine, *request, response);
  }
  grpc::Status SignBuild(grpc::ServerContext*, const v1::SignBuildRequest* request,
                         v1::SignBuildResponse*) override {
    return Answer(sign_build, *request);
  }
  grpc::Status ListMachines(grpc::ServerContext*, const v1::ListMachinesRequest*,
                            v1::ListMachinesResponse* response) override {
    *response = machines;
    return grpc::Status::OK;
  }
  grpc::Status GetJob(grpc::ServerContext*, const v1::GetJobRequest*,
                      v1::JobView* response) override {
    if (on_get_job) on_get_job();
    *response = job;
    return grpc::Status::OK;
  }
  grpc::Status ListKernels(grpc::ServerContext*, const v1::ListKernelsRequest*,
                           v1::ListKernelsResponse* response) override {
    *response = kernels;
    return grpc::Status::OK;
  }
};

// Its hands move by Sleep() only, which also does what the test wants done meanwhile.
class HookedClock : public FakeClock {
 public:
  void Sleep(absl::Duration duration) override {
    Advance(duration);
    if (hook) hook();
  }
  absl::Duration Elapsed() override {
    return FakeClock::Elapsed() + absl::Seconds(passed_s.load());
  }
  std::function<void()> hook;
  std::atomic<int64_t> passed_s = 0;  // Time that went by without a Sleep(); from any thread.
};

struct Result {
  int code;
  std::string out;
  std::string err;
};

class FlowTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/shakedown_flow_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/token", "sd_secret\n", 0600).ok());
    Start();
  }
  void TearDown() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }

  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Address(), grpc::InsecureServerCredentials());
    builder.RegisterService(&service_);
    builder.SetMaxReceiveMessageSize(64 << 20);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void Stop() {
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  std::string Address() const { return absl::StrCat("unix:", folder_, "/farm.sock"); }

  Result RunCommand(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"--server", Address(), "--token-file", folder_ + "/token"});
    std::ostringstream out;
    std::ostringstream err;
    Screen screen(out, err, {});
    const int code = cli::Run(
        arguments, screen, [](const std::string&) { return std::nullopt; }, clock_, interrupt_);
    return {code, out.str(), err.str()};
  }
  Result SubmitSmall(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"submit",      "--baseline", "debian-6.1", "--challenger",
                                          "debian-6.12", "--load",     "latt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCommand(arguments);
  }

  std::string folder_;
  FakeService service_;
  std::unique_ptr<grpc::Server> server_;
  HookedClock clock_;
  Interrupt interrupt_;
};

inline size_t Times(const std::string& word, const std::string& text) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_FLOW_TESTING_H_
