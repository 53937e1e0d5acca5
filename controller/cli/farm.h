// The farm as the commands see it: FarmService without gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_FARM_H_
#define SHAKEDOWN_CONTROLLER_CLI_FARM_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "controller/cli/settings.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

enum class Next { kGoOn, kStop };

// Calls block, for at most 30 s except the three streams. One thread. Errors carry the farm's own
// code and words; Unavailable and DeadlineExceeded mean that no answer came: the call may have been
// done.
class Farm {
 public:
  virtual ~Farm() = default;
  virtual absl::StatusOr<v1::SubmitJobResponse> SubmitJob(const v1::SubmitJobRequest& request) = 0;
  virtual absl::StatusOr<v1::PlanJobResponse> PlanJob(const v1::PlanJobRequest& request) = 0;
  virtual absl::StatusOr<v1::JobView> GetJob(const v1::GetJobRequest& request) = 0;
  virtual absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) = 0;
  virtual absl::StatusOr<v1::CancelJobResponse> CancelJob(const v1::CancelJobRequest& request) = 0;
  virtual absl::StatusOr<v1::ListAgentsResponse> ListAgents() = 0;
  virtual absl::StatusOr<v1::ListMachinesResponse> ListMachines() = 0;
  virtual absl::StatusOr<v1::ListKernelsResponse> ListKernels() = 0;
  virtual absl::StatusOr<v1::AddKernelResponse> AddKernel(const v1::AddKernelRequest& request) = 0;
  virtual absl::StatusOr<v1::RemoveKernelResponse> RemoveKernel(
      const v1::RemoveKernelRequest& request) = 0;
  virtual absl::StatusOr<v1::ListInputsResponse> ListInputs() = 0;
  // Sends what `next` gives, piece by piece of at most 1 MiB, until it gives an empty one. Blocks
  // for as long as that takes. An error of `next` ends it, and nothing is taken.
  virtual absl::StatusOr<v1::AddInputResponse> AddInput(
      const std::string& name, const std::function<absl::StatusOr<std::string>()>& next) = 0;
  virtual absl::StatusOr<v1::ListBuildsResponse> ListBuilds(
      const v1::ListBuildsRequest& request) = 0;
  virtual absl::StatusOr<v1::SetMachineResponse> SetMachine(
      const v1::SetMachineRequest& request) = 0;
  virtual absl::StatusOr<v1::SignBuildResponse> SignBuild(const v1::SignBuildRequest& request) = 0;
  virtual absl::StatusOr<v1::GetReportResponse> GetReport(const v1::GetReportRequest& request) = 0;
  virtual absl::StatusOr<v1::ReproduceResponse> Reproduce(const v1::ReproduceRequest& request) = 0;

  // Waits until the farm can be reached, at most `limit`.
  virtual void AwaitConnection(absl::Duration limit) = 0;

  // Calls `on` with each message, and with nullptr at least every 250 ms while none comes, until
  // the stream ends (OK), breaks (its error), or `on` says kStop (Cancelled).
  virtual absl::Status WatchJob(const v1::GetJobRequest& request,
                                const std::function<Next(const v1::JobView*)>& on) = 0;
  virtual absl::Status ReadLog(const v1::ReadLogRequest& request,
                               const std::function<Next(const v1::LogChunk*)>& on) = 0;
};

// A farm at the other end of gRPC. `settings` as from FindSettings. Connects at the first call.
// Errors of the server's address, the CA file and the token file.
absl::StatusOr<std::unique_ptr<Farm>> MakeGrpcFarm(const ConnectionFlags& settings);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_FARM_H_
