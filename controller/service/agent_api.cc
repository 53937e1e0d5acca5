#include "controller/service/agent_api.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/scheduler/pick_work.h"
#include "controller/service/auth.h"
#include "controller/service/store_call.h"
#include "db/store/agents.h"
#include "db/store/artefacts.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/logs.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr uint32_t kMaxWait = 30000;
constexpr int kMaxMachines = 1000;
constexpr size_t kMaxUploadPiece = 1 << 20;
constexpr size_t kDownloadPiece = 256 << 10;

absl::Status CheckPiece(const v1::PutArtefactRequest& message) {
  if (message.data().size() <= kMaxUploadPiece) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("artefact data of ", message.data().size(),
                                                 " bytes: want at most ", kMaxUploadPiece,
                                                 " in one message"));
}

}  // namespace

absl::Status AgentApi::CheckSync(const store::Principal& caller, const v1::SyncRequest& request) {
  RETURN_IF_ERROR(CheckAgentName(caller, request.agent()));
  if (request.wait_ms() > kMaxWait) {
    return absl::InvalidArgumentError(
        absl::StrCat("wait_ms ", request.wait_ms(), ": want at most ", kMaxWait));
  }
  if (request.machines_size() > kMaxMachines || request.build_slots_size() > kMaxMachines) {
    return absl::InvalidArgumentError(absl::StrCat(
        "agent ", request.agent(), ": ", request.machines_size(), " machines and ",
        request.build_slots_size(), " build slots, want at most ", kMaxMachines, " of each"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::SyncResponse> AgentApi::Sync(const v1::SyncRequest& request, bool& news) {
  return FromStore([&] { return store::Sync(database_, request, scheduler::Rules(), &news); });
}

absl::StatusOr<v1::ReportBootResponse> AgentApi::ReportBoot(const store::Principal& caller,
                                                            const v1::BootResult& result) {
  RETURN_IF_ERROR(FromStore([&] { return store::RecordBoot(database_, caller.name, result); }));
  return v1::ReportBootResponse();
}

absl::StatusOr<v1::ReportBuildResponse> AgentApi::ReportBuild(const store::Principal& caller,
                                                              const v1::BuildResult& result) {
  RETURN_IF_ERROR(
      FromStore([&] { return store::RecordBuild(database_, caller.name, result, signer_); }));
  return v1::ReportBuildResponse();
}

absl::StatusOr<v1::AppendLogResponse> AgentApi::AppendLog(const store::Principal& caller,
                                                          const v1::AppendLogRequest& request) {
  if (!IsUuid(request.stream())) {
    return absl::InvalidArgumentError(absl::StrCat("log stream ", Quoted(request.stream()),
                                                   ": want an attempt_id or a build_id"));
  }
  ASSIGN_OR_RETURN(const uint64_t end, FromStore([&] {
                     return store::AppendLog(database_, caller.name, request.stream(),
                                             request.epoch(), request.offset(), request.data());
                   }));
  v1::AppendLogResponse response;
  response.set_end(end);
  return response;
}

absl::StatusOr<Upload> AgentApi::BeginUpload(const v1::PutArtefactRequest& first) {
  Upload upload;
  upload.artefact = first.artefact();
  ASSIGN_OR_RETURN(upload.existed, artefacts_.Has(upload.artefact));
  if (upload.existed) {
    // The file may be there without its row: a controller died between the two.
    RETURN_IF_ERROR(FromStore([&] {
      return store::AddArtefact(database_, upload.artefact.sha256(), upload.artefact.size());
    }));
    return upload;
  }
  ASSIGN_OR_RETURN(upload.writer, artefacts_.Create(upload.artefact));
  RETURN_IF_ERROR(ContinueUpload(upload, first));
  return upload;
}

absl::Status AgentApi::ContinueUpload(Upload& upload, const v1::PutArtefactRequest& message) {
  RETURN_IF_ERROR(CheckPiece(message));
  return upload.writer->Write(message.data());
}

absl::Status AgentApi::FinishUpload(Upload& upload) {
  RETURN_IF_ERROR(upload.writer->Commit());
  return FromStore([&] {
    return store::AddArtefact(database_, upload.artefact.sha256(), upload.artefact.size());
  });
}

absl::Status AgentApi::ForgetIfLost(const std::string& sha256, const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  const absl::Status forgotten =
      FromStore([&] { return store::ForgetArtefact(database_, sha256); });
  return forgotten.ok() || absl::IsNotFound(forgotten)
             ? status
             : Annotate(status, absl::StrCat("(", forgotten.message(), ")"));
}

absl::StatusOr<std::unique_ptr<ArtefactReader>> AgentApi::OpenArtefact(
    const v1::GetArtefactRequest& request) {
  const std::string& sha256 = request.sha256();
  if (!IsSha256Hex(sha256)) {
    return absl::InvalidArgumentError(
        absl::StrCat("artefact ", Quoted(sha256), ": want 64 lower-case hex digits"));
  }
  ASSIGN_OR_RETURN(const std::optional<uint64_t> size,
                   FromStore([&] { return store::FindArtefact(database_, sha256); }));
  if (!size) return absl::NotFoundError(absl::StrCat("artefact ", sha256, ": not in the farm"));
  v1::Artefact artefact;
  artefact.set_sha256(sha256);
  artefact.set_size(*size);
  absl::StatusOr<std::unique_ptr<ArtefactReader>> reader = artefacts_.Read(artefact);
  if (absl::IsNotFound(reader.status())) {
    return ForgetIfLost(sha256, absl::DataLossError(absl::StrCat(reader.status().message(),
                                                                 "; want it to be put again")));
  }
  if (!reader.ok()) return ForgetIfLost(sha256, reader.status());
  return reader;
}

absl::StatusOr<v1::ArtefactChunk> AgentApi::ReadArtefact(const v1::GetArtefactRequest& request,
                                                         ArtefactReader& reader) {
  absl::StatusOr<std::string> piece = reader.Next(kDownloadPiece);
  if (!piece.ok()) return ForgetIfLost(request.sha256(), piece.status());
  v1::ArtefactChunk chunk;
  chunk.set_data(*std::move(piece));
  return chunk;
}

}  // namespace shakedown::service
