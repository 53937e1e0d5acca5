// FarmService over HTTP.
#include "controller/web/api.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::web {
namespace {

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

MethodTable FarmMethods(const service::Backend& backend) {
  MethodTable table(*v1::GetJobRequest::descriptor(), "FarmService");
  service::FarmApi& farm = backend.farm;
  table.AddUnary<v1::SubmitJobRequest>(
      "SubmitJob", kChanges,
      [&farm](const auto& by, const auto& r) { return farm.SubmitJob(by, r); });
  // Stores nothing, but costs work and may find that files are lost: not for everybody.
  table.AddUnary<v1::PlanJobRequest>(
      "PlanJob", kChanges, [&farm](const auto&, const auto& r) { return farm.PlanJob(r); });
  table.AddUnary<v1::GetJobRequest>(
      "GetJob", kReads, [&farm](const auto&, const auto& r) { return farm.GetJob(r.job()); });
  table.AddUnary<v1::ListJobsRequest>(
      "ListJobs", kReads, [&farm](const auto&, const auto& r) { return farm.ListJobs(r); });
  table.AddUnary<v1::CancelJobRequest>(
      "CancelJob", kChanges, [&farm](const auto&, const auto& r) { return farm.CancelJob(r); });
  table.AddUnary<v1::ListAgentsRequest>(
      "ListAgents", kReads, [&farm](const auto&, const auto&) { return farm.ListAgents(); });
  table.AddUnary<v1::ListMachinesRequest>(
      "ListMachines", kReads, [&farm](const auto&, const auto&) { return farm.ListMachines(); });
  table.AddUnary<v1::ListKernelsRequest>(
      "ListKernels", kReads, [&farm](const auto&, const auto&) { return farm.ListKernels(); });
  table.AddUnary<v1::AddKernelRequest>(
      "AddKernel", kChanges,
      [&farm](const auto& by, const auto& r) { return farm.AddKernel(by, r); });
  table.AddUnary<v1::RemoveKernelRequest>(
      "RemoveKernel", kChanges,
      [&farm](const auto&, const auto& r) { return farm.RemoveKernel(r); });
  table.AddUnary<v1::ListBuildsRequest>(
      "ListBuilds", kReads, [&farm](const auto&, const auto& r) { return farm.ListBuilds(r); });
  table.AddUnary<v1::GetReportRequest>(
      "GetReport", kReads, [&farm](const auto&, const auto& r) { return farm.GetReport(r); });
  table.AddUnary<v1::ReproduceRequest>(
      "Reproduce", kReads, [&farm](const auto&, const auto& r) { return farm.Reproduce(r); });
  table.AddUnary<v1::ListInputsRequest>(
      "ListInputs", kReads, [&farm](const auto&, const auto&) { return farm.ListInputs(); });
  table.AddStream<v1::GetJobRequest>("WatchJob", [backend](const v1::GetJobRequest& r) {
    return std::make_unique<JobStream>(service::JobWatch(backend, r.job()));
  });
  table.AddStream<v1::ReadLogRequest>("ReadLog", [backend](const v1::ReadLogRequest& r) {
    return std::make_unique<LogStream>(service::LogFollow(backend, r));
  });
  return table;
}

}  // namespace shakedown::web
