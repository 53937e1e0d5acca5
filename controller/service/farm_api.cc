#include "controller/service/farm_api.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/plan/remarks.h"
#include "controller/service/add_kernel.h"
#include "controller/service/lost_artefacts.h"
#include "controller/service/store_call.h"
#include "db/store/agents.h"
#include "db/store/artefacts.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/jobs.h"
#include "db/store/kernels.h"
#include "db/store/logs.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

// A spec of 26 variants and 32 loads, each at its limits, is far below.
constexpr size_t kMaxSpec = 1 << 20;

absl::Status CheckSpecSize(const v1::JobSpec& spec) {
  if (spec.ByteSizeLong() <= kMaxSpec) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("job of ", spec.ByteSizeLong(), " bytes: want at most ", kMaxSpec));
}

absl::Status CheckJobNumber(int64_t job) {
  if (job >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("job ", job, ": want a number from 1"));
}

}  // namespace

FarmApi::FarmApi(store::Database& database, ArtefactStore& artefacts,
                 kernels::FragmentReader fragments)
    : database_(database), artefacts_(artefacts), fragments_(std::move(fragments)) {}

absl::StatusOr<plan::Kernels> FarmApi::Catalog() {
  ASSIGN_OR_RETURN(const auto list, FromStore([&] { return store::ListKernels(database_); }));
  plan::Kernels kernels;
  for (const v1::Kernel& kernel : list) kernels[kernel.name()] = kernel;
  return kernels;
}

absl::StatusOr<FarmApi::Prepared> FarmApi::Prepare(const v1::JobSpec& spec) {
  RETURN_IF_ERROR(CheckSpecSize(spec));
  ASSIGN_OR_RETURN(const plan::Kernels kernels, Catalog());
  ASSIGN_OR_RETURN(const auto machines, FromStore([&] { return store::ListMachines(database_); }));
  ASSIGN_OR_RETURN(const v1::JobSpec pinned, WithInputs(spec));
  ASSIGN_OR_RETURN(store::Submission submission,
                   PrepareJob(pinned, kernels, machines, fragments_, DrawSeed()));
  std::set<std::string> keys;
  for (const store::VariantKernel& variant : submission.variants) keys.insert(variant.request_key);
  RETURN_IF_ERROR(ForgetLostArtefacts(database_, artefacts_, keys));
  std::vector<std::string> remarks = plan::RemarksOn(submission.spec, machines);
  return Prepared{std::move(submission), std::move(remarks)};
}

absl::StatusOr<v1::SubmitJobResponse> FarmApi::SubmitJob(const store::Principal& caller,
                                                         const v1::SubmitJobRequest& request) {
  if (!IsUuid(request.request_id())) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_id ", Quoted(request.request_id()), ": want a UUID in lower case"));
  }
  v1::SubmitJobResponse response;
  // Sent again: the answer does not depend on a catalog that may have changed since.
  ASSIGN_OR_RETURN(const std::optional<int64_t> known, FromStore([&] {
                     return store::FindJobByRequest(database_, request.request_id());
                   }));
  if (known) {
    response.set_job(*known);
    return response;
  }
  ASSIGN_OR_RETURN(Prepared prepared, Prepare(request.spec()));
  store::Submission& submission = prepared.job;
  submission.request_id = request.request_id();
  submission.submitter = caller.name;
  RETURN_IF_ERROR(SetBlockTime(submission));
  ASSIGN_OR_RETURN(const int64_t job,
                   FromStore([&] { return store::SubmitJob(database_, submission); }));
  response.set_job(job);
  response.mutable_remarks()->Assign(prepared.remarks.begin(), prepared.remarks.end());
  return response;
}

absl::StatusOr<v1::JobView> FarmApi::GetJob(int64_t job) {
  RETURN_IF_ERROR(CheckJobNumber(job));
  return FromStore([&] { return store::GetJob(database_, job); });
}

absl::StatusOr<int64_t> FarmApi::JobVersion(int64_t job) {
  RETURN_IF_ERROR(CheckJobNumber(job));
  return FromStore([&] { return store::JobVersion(database_, job); });
}

absl::StatusOr<v1::ListJobsResponse> FarmApi::ListJobs(const v1::ListJobsRequest& request) {
  if (request.limit() > 1000) {
    return absl::InvalidArgumentError(
        absl::StrCat("limit ", request.limit(), ": want at most 1000"));
  }
  const uint32_t limit = request.limit() == 0 ? 50 : request.limit();
  ASSIGN_OR_RETURN(const auto jobs, FromStore([&] {
                     return store::ListJobs(database_, limit, request.before_job());
                   }));
  v1::ListJobsResponse response;
  for (const v1::JobView& job : jobs) *response.add_jobs() = job;
  return response;
}

absl::StatusOr<v1::CancelJobResponse> FarmApi::CancelJob(const v1::CancelJobRequest& request) {
  RETURN_IF_ERROR(CheckJobNumber(request.job()));
  RETURN_IF_ERROR(FromStore([&] { return store::CancelJob(database_, request.job()); }));
  return v1::CancelJobResponse();
}

absl::StatusOr<v1::ListAgentsResponse> FarmApi::ListAgents() {
  ASSIGN_OR_RETURN(const auto agents, FromStore([&] { return store::ListAgents(database_); }));
  v1::ListAgentsResponse response;
  for (const v1::AgentView& agent : agents) *response.add_agents() = agent;
  return response;
}

absl::StatusOr<v1::ListMachinesResponse> FarmApi::ListMachines() {
  ASSIGN_OR_RETURN(const auto machines, FromStore([&] { return store::ListMachines(database_); }));
  v1::ListMachinesResponse response;
  for (const v1::MachineView& machine : machines) *response.add_machines() = machine;
  return response;
}

absl::StatusOr<v1::ListKernelsResponse> FarmApi::ListKernels() {
  ASSIGN_OR_RETURN(const auto kernels, FromStore([&] { return store::ListKernels(database_); }));
  v1::ListKernelsResponse response;
  for (const v1::Kernel& kernel : kernels) *response.add_kernels() = kernel;
  return response;
}

absl::StatusOr<v1::AddKernelResponse> FarmApi::AddKernel(const store::Principal& caller,
                                                         const v1::AddKernelRequest& request) {
  v1::Kernel base;
  if (!request.from().empty()) {
    RETURN_IF_ERROR(CheckName("kernel", request.from()));
    ASSIGN_OR_RETURN(base, FromStore([&] { return store::GetKernel(database_, request.from()); }));
  }
  ASSIGN_OR_RETURN(const v1::Kernel kernel, MakeKernel(request, base));
  for (const v1::AddKernelRequest::PatchFile& patch : request.patches()) {
    ASSIGN_OR_RETURN(const v1::Artefact artefact, artefacts_.Put(patch.content()));
    RETURN_IF_ERROR(FromStore(
        [&] { return store::AddArtefact(database_, artefact.sha256(), artefact.size()); }));
  }
  RETURN_IF_ERROR(FromStore([&] { return store::AddKernel(database_, kernel, caller.name); }));
  v1::AddKernelResponse response;
  *response.mutable_kernel() = kernel;
  return response;
}

absl::StatusOr<v1::RemoveKernelResponse> FarmApi::RemoveKernel(
    const v1::RemoveKernelRequest& request) {
  RETURN_IF_ERROR(FromStore([&] { return store::RemoveKernel(database_, request.name()); }));
  return v1::RemoveKernelResponse();
}

absl::StatusOr<v1::ListBuildsResponse> FarmApi::ListBuilds(const v1::ListBuildsRequest& request) {
  if (request.limit() > 1000) {
    return absl::InvalidArgumentError(
        absl::StrCat("limit ", request.limit(), ": want at most 1000"));
  }
  ASSIGN_OR_RETURN(const auto builds,
                   FromStore([&] { return store::ListBuilds(database_, request.limit()); }));
  v1::ListBuildsResponse response;
  for (const v1::BuildView& build : builds) *response.add_builds() = build;
  return response;
}

absl::StatusOr<std::string> FarmApi::FindLog(const std::string& name) {
  if (IsUuid(name)) return name;
  const absl::StatusOr<BootName> boot = ParseBootName(name);
  if (!boot.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "log ", Quoted(name), ": want a boot such as 17.1B or 17.1B.2, or a build_id"));
  }
  return FromStore([&] { return store::FindAttempt(database_, *boot); });
}

absl::StatusOr<FarmApi::LogPiece> FarmApi::ReadLog(const std::string& stream, uint64_t offset) {
  ASSIGN_OR_RETURN(store::LogPiece read,
                   FromStore([&] { return store::ReadLog(database_, stream, offset); }));
  LogPiece piece;
  piece.chunk.set_offset(offset);
  piece.size = read.end;
  piece.finished = read.closed && offset + read.data.size() >= read.end;
  piece.chunk.set_data(std::move(read.data));
  return piece;
}

}  // namespace shakedown::service
