// AgentService without gRPC: check, call, answer.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/service/artefact_store.h"
#include "db/store/database.h"
#include "db/store/signatures.h"
#include "db/store/tokens.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::service {

// An upload in progress.
struct Upload {
  v1::Artefact artefact;
  bool existed = false;                    // It is there already: nothing more is wanted.
  std::unique_ptr<ArtefactWriter> writer;  // Null when it existed.
};

// Thread-safe; each function blocks for short transactions and disk writes. The references outlive
// it. Errors as in FarmApi; PermissionDenied: an agent speaks for another.
class AgentApi {
 public:
  // `signer`: signs each build that is accepted; none: nobody does.
  AgentApi(store::Database& database, ArtefactStore& artefacts, store::FarmSigner signer = {})
      : database_(database), artefacts_(artefacts), signer_(std::move(signer)) {}

  absl::Status CheckSync(const store::Principal& caller, const v1::SyncRequest& request);
  // One look, without waiting. After CheckSync. `news`: there is something to answer at once.
  absl::StatusOr<v1::SyncResponse> Sync(const v1::SyncRequest& request, bool& news);

  absl::StatusOr<v1::ReportBootResponse> ReportBoot(const store::Principal& caller,
                                                    const v1::BootResult& result);
  absl::StatusOr<v1::ReportBuildResponse> ReportBuild(const store::Principal& caller,
                                                      const v1::BuildResult& result);
  absl::StatusOr<v1::AppendLogResponse> AppendLog(const store::Principal& caller,
                                                  const v1::AppendLogRequest& request);

  // Takes the first message of a stream; its data belongs to the upload as that of the later ones
  // does.
  absl::StatusOr<Upload> BeginUpload(const v1::PutArtefactRequest& first);
  absl::Status ContinueUpload(Upload& upload, const v1::PutArtefactRequest& message);
  absl::Status FinishUpload(Upload& upload);

  // DataLoss: the file no longer is what it was; the farm forgets it, so that an agent can put it
  // again.
  absl::StatusOr<std::unique_ptr<ArtefactReader>> OpenArtefact(
      const v1::GetArtefactRequest& request);
  absl::StatusOr<v1::ArtefactChunk> ReadArtefact(const v1::GetArtefactRequest& request,
                                                 ArtefactReader& reader);

 private:
  absl::Status ForgetIfLost(const std::string& sha256, const absl::Status& status);

  store::Database& database_;
  ArtefactStore& artefacts_;
  const store::FarmSigner signer_;
};

}  // namespace shakedown::service
