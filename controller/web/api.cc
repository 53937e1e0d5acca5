#include "controller/web/api.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::web {
namespace {

using google::protobuf::Message;

absl::Status FromJson(const std::string& json, Message& message) {
  // The JSON library takes any bytes; a string of a proto holds UTF-8 only.
  if (json != ToUtf8(json)) return absl::InvalidArgumentError("body: want UTF-8 without NUL");
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json.empty() ? "{}" : json, &message);
  if (parsed.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("body: not a ", message.GetDescriptor()->name(),
                                                 " as JSON: ", std::string(parsed.message())));
}

absl::StatusOr<std::string> ToJson(const Message& message) {
  std::string json;
  const auto printed = google::protobuf::util::MessageToJsonString(message, &json);
  if (printed.ok()) return json;
  return absl::InternalError(
      absl::StrCat(message.GetDescriptor()->name(), " as JSON: ", std::string(printed.message())));
}

const google::protobuf::ServiceDescriptor& Service() {
  return *v1::GetJobRequest::descriptor()->file()->FindServiceByName("FarmService");
}

template <typename Step>
service::StreamStep<std::string> AsJson(Step step) {
  service::StreamStep<std::string> out;
  out.end = step.end;
  out.pause = step.pause;
  out.hints_seen = step.hints_seen;
  if (!step.send) return out;
  absl::StatusOr<std::string> json = ToJson(*step.send);
  if (json.ok()) {
    out.send = *std::move(json);
  } else {
    out.end = json.status();
  }
  return out;
}

class JobStream : public JsonStream {
 public:
  explicit JobStream(service::JobWatch steps) : steps_(std::move(steps)) {}
  service::StreamStep<std::string> Step() override { return AsJson(steps_.Step()); }

 private:
  service::JobWatch steps_;
};

class LogStream : public JsonStream {
 public:
  explicit LogStream(service::LogFollow steps) : steps_(std::move(steps)) {}
  service::StreamStep<std::string> Step() override { return AsJson(steps_.Step()); }
  uint64_t log_size() const override { return steps_.size(); }

 private:
  service::LogFollow steps_;
};

}  // namespace

Method& Api::Add(const char* name, absl::string_view request, bool stream) {
  const auto* method = Service().FindMethodByName(name);
  if (method == nullptr || method->client_streaming() || method->server_streaming() != stream ||
      method->input_type()->full_name() != request) {
    std::fprintf(stderr, "FarmService.%s: not as the protos say\n", name);
    std::abort();
  }
  return methods_[absl::StrCat("/", Service().full_name(), "/", name)];
}

template <typename Request, typename Body>
void Api::AddUnary(const char* name, bool reads, Body body) {
  Method& method = Add(name, Request::descriptor()->full_name(), false);
  method.reads = reads;
  method.unary = [body = std::move(body)](const store::Principal& caller,
                                          const std::string& json) -> absl::StatusOr<std::string> {
    Request request;
    RETURN_IF_ERROR(FromJson(json, request));
    ASSIGN_OR_RETURN(const auto response, body(caller, request));
    return ToJson(response);
  };
}

template <typename Request, typename Steps>
void Api::AddStream(const char* name, Steps steps) {
  Method& method = Add(name, Request::descriptor()->full_name(), true);
  method.reads = true;
  method.stream = [steps = std::move(steps)](
                      const std::string& json) -> absl::StatusOr<std::unique_ptr<JsonStream>> {
    Request request;
    RETURN_IF_ERROR(FromJson(json, request));
    return steps(request);
  };
}

Api::Api(const service::Backend& backend) : backend_(backend) {
  service::FarmApi& farm = backend_.farm;
  constexpr bool kReads = true;
  constexpr bool kChanges = false;
  AddUnary<v1::SubmitJobRequest>("SubmitJob", kChanges, [&farm](const auto& by, const auto& r) {
    return farm.SubmitJob(by, r);
  });
  // Stores nothing, but costs work and may find that files are lost: not for everybody.
  AddUnary<v1::PlanJobRequest>("PlanJob", kChanges,
                               [&farm](const auto&, const auto& r) { return farm.PlanJob(r); });
  AddUnary<v1::GetJobRequest>("GetJob", kReads,
                              [&farm](const auto&, const auto& r) { return farm.GetJob(r.job()); });
  AddUnary<v1::ListJobsRequest>("ListJobs", kReads,
                                [&farm](const auto&, const auto& r) { return farm.ListJobs(r); });
  AddUnary<v1::CancelJobRequest>("CancelJob", kChanges,
                                 [&farm](const auto&, const auto& r) { return farm.CancelJob(r); });
  AddUnary<v1::ListAgentsRequest>("ListAgents", kReads,
                                  [&farm](const auto&, const auto&) { return farm.ListAgents(); });
  AddUnary<v1::ListMachinesRequest>(
      "ListMachines", kReads, [&farm](const auto&, const auto&) { return farm.ListMachines(); });
  AddUnary<v1::ListKernelsRequest>(
      "ListKernels", kReads, [&farm](const auto&, const auto&) { return farm.ListKernels(); });
  AddUnary<v1::AddKernelRequest>("AddKernel", kChanges, [&farm](const auto& by, const auto& r) {
    return farm.AddKernel(by, r);
  });
  AddUnary<v1::RemoveKernelRequest>("RemoveKernel", kChanges, [&farm](const auto&, const auto& r) {
    return farm.RemoveKernel(r);
  });
  AddUnary<v1::ListBuildsRequest>(
      "ListBuilds", kReads, [&farm](const auto&, const auto& r) { return farm.ListBuilds(r); });
  AddUnary<v1::GetReportRequest>("GetReport", kReads,
                                 [&farm](const auto&, const auto& r) { return farm.GetReport(r); });
  AddUnary<v1::ReproduceRequest>("Reproduce", kReads,
                                 [&farm](const auto&, const auto& r) { return farm.Reproduce(r); });
  AddUnary<v1::ListInputsRequest>("ListInputs", kReads,
                                  [&farm](const auto&, const auto&) { return farm.ListInputs(); });
  AddUnary<v1::SetMachineRequest>("SetMachine", kChanges, [&farm](const auto& by, const auto& r) {
    return farm.SetMachine(by, r);
  });
  AddUnary<v1::SignBuildRequest>("SignBuild", kChanges, [&farm](const auto& by, const auto& r) {
    return farm.SignBuild(by, r);
  });
  AddStream<v1::GetJobRequest>("WatchJob", [this](const v1::GetJobRequest& r) {
    return std::make_unique<JobStream>(service::JobWatch(backend_, r.job()));
  });
  AddStream<v1::ReadLogRequest>("ReadLog", [this](const v1::ReadLogRequest& r) {
    return std::make_unique<LogStream>(service::LogFollow(backend_, r));
  });
}

absl::StatusOr<const Method*> Api::Find(absl::string_view path) const {
  if (const auto found = methods_.find(path); found != methods_.end()) return &found->second;
  absl::string_view name = path;
  if (absl::ConsumePrefix(&name, absl::StrCat("/", Service().full_name(), "/")) &&
      Service().FindMethodByName(std::string(name)) != nullptr) {
    return absl::UnimplementedError(absl::StrCat(name, ": not served over HTTP, use the command"));
  }
  return absl::NotFoundError(
      absl::StrCat("method ", Quoted(path), ": want /", Service().full_name(), "/METHOD"));
}

}  // namespace shakedown::web
