// Other tools' results and people's notes as the commands see them: ImportService without gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_IMPORT_CLIENT_H_
#define SHAKEDOWN_CONTROLLER_CLI_IMPORT_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::cli {

// As Farm: blocks for at most 30 s, one thread, the farm's own errors.
class ImportClient {
 public:
  virtual ~ImportClient() = default;
  virtual absl::StatusOr<v1::AddImportResponse> AddImport(const v1::AddImportRequest& request) = 0;
  virtual absl::StatusOr<v1::ListImportsResponse> ListImports(
      const v1::ListImportsRequest& request) = 0;
  virtual absl::StatusOr<v1::GetImportResponse> GetImport(const v1::GetImportRequest& request) = 0;
  virtual absl::StatusOr<v1::CompareKernelsResponse> CompareKernels(
      const v1::CompareKernelsRequest& request) = 0;
  virtual absl::StatusOr<v1::AddNoteResponse> AddNote(const v1::AddNoteRequest& request) = 0;
  virtual absl::StatusOr<v1::ListNotesResponse> ListNotes(const v1::ListNotesRequest& request) = 0;
  virtual absl::StatusOr<v1::ImportView> WithdrawImport(
      const v1::WithdrawImportRequest& request) = 0;
  virtual absl::StatusOr<v1::NoteView> WithdrawNote(const v1::WithdrawNoteRequest& request) = 0;
};

class GrpcChannel;
std::unique_ptr<ImportClient> MakeGrpcImport(std::shared_ptr<GrpcChannel> channel);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_IMPORT_CLIENT_H_
