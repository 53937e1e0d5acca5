// FarmService without gRPC: check, call, answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/service/artefact_store.h"
#include "controller/service/prepare_job.h"
#include "db/store/database.h"
#include "db/store/tokens.h"
#include "kernels/recipe/resolve.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::service {

// An archive on its way in. Leaves nothing unless FinishInput() took it.
struct InputUpload {
  std::string name;
  std::unique_ptr<ArtefactIntake> file;
};

// Thread-safe; each function blocks for short transactions. The references outlive it. Errors are
// in words a person can act on: InvalidArgument (value and what is wanted), NotFound,
// FailedPrecondition, AlreadyExists, ResourceExhausted (disk full), Unavailable ("database: …",
// call again).
class FarmApi {
 public:
  // `fragments` reads kernels/configs.
  FarmApi(store::Database& database, ArtefactStore& artefacts, kernels::FragmentReader fragments);

  absl::StatusOr<v1::SubmitJobResponse> SubmitJob(const store::Principal& caller,
                                                  const v1::SubmitJobRequest& request);
  absl::StatusOr<v1::PlanJobResponse> PlanJob(const v1::PlanJobRequest& request);
  absl::StatusOr<v1::JobView> GetJob(int64_t job);
  absl::StatusOr<int64_t> JobVersion(int64_t job);
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request);
  absl::StatusOr<v1::CancelJobResponse> CancelJob(const v1::CancelJobRequest& request);
  absl::StatusOr<v1::ListAgentsResponse> ListAgents();
  absl::StatusOr<v1::ListMachinesResponse> ListMachines();
  absl::StatusOr<v1::ListKernelsResponse> ListKernels();
  absl::StatusOr<v1::AddKernelResponse> AddKernel(const store::Principal& caller,
                                                  const v1::AddKernelRequest& request);
  absl::StatusOr<v1::RemoveKernelResponse> RemoveKernel(const v1::RemoveKernelRequest& request);
  absl::StatusOr<InputUpload> BeginInput(const v1::AddInputRequest& first);
  absl::Status ContinueInput(InputUpload& upload, const v1::AddInputRequest& message);
  // Reads the whole archive, for some seconds, before it gives it the name.
  absl::StatusOr<v1::AddInputResponse> FinishInput(const store::Principal& caller,
                                                   InputUpload& upload);
  absl::StatusOr<v1::ListInputsResponse> ListInputs();
  absl::StatusOr<v1::ListBuildsResponse> ListBuilds(const v1::ListBuildsRequest& request);
  absl::StatusOr<v1::SetMachineResponse> SetMachine(const store::Principal& caller,
                                                    const v1::SetMachineRequest& request);
  // PermissionDenied: not a signature of that build by that key.
  absl::StatusOr<v1::SignBuildResponse> SignBuild(const store::Principal& caller,
                                                  const v1::SignBuildRequest& request);
  absl::StatusOr<v1::GetReportResponse> GetReport(const v1::GetReportRequest& request);

  // A script that repeats a boot: see plan/reproduce.h. InvalidArgument, NotFound.
  absl::StatusOr<v1::ReproduceResponse> Reproduce(const v1::ReproduceRequest& request);

  // The log's key in the store for "17.1B", "17.1B.2" or a build_id. InvalidArgument, NotFound.
  absl::StatusOr<std::string> FindLog(const std::string& name);
  struct LogPiece {
    v1::LogChunk chunk;     // Empty data: nothing new.
    bool finished = false;  // Everything was read, and no more will come.
    uint64_t size = 0;      // Bytes in the log now.
  };
  absl::StatusOr<LogPiece> ReadLog(const std::string& stream, uint64_t offset);

 private:
  absl::StatusOr<plan::Kernels> Catalog();
  struct Prepared {
    store::Submission job;
    std::vector<std::string> remarks;  // Of plan::RemarksOn().
  };
  absl::StatusOr<Prepared> Prepare(const v1::JobSpec& spec);
  absl::StatusOr<v1::JobSpec> WithInputs(const v1::JobSpec& spec);
  // For a job with a time budget.
  absl::Status SetBlockTime(store::Submission& submission);

  store::Database& database_;
  ArtefactStore& artefacts_;
  const kernels::FragmentReader fragments_;
};

}  // namespace shakedown::service
