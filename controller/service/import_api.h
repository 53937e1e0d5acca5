// ImportService without gRPC: check, call, answer.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/tokens.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::service {

// Thread-safe; each function blocks for short transactions, AddImport for the seconds that a text
// of 16 MiB takes to read. The database outlives it. Errors as FarmApi's.
class ImportApi {
 public:
  explicit ImportApi(store::Database& database) : database_(database) {}

  absl::StatusOr<v1::AddImportResponse> AddImport(const store::Principal& caller,
                                                  const v1::AddImportRequest& request);
  absl::StatusOr<v1::ListImportsResponse> ListImports(const v1::ListImportsRequest& request);
  absl::StatusOr<v1::GetImportResponse> GetImport(const v1::GetImportRequest& request);
  absl::StatusOr<v1::CompareKernelsResponse> CompareKernels(
      const v1::CompareKernelsRequest& request);
  absl::StatusOr<v1::AddNoteResponse> AddNote(const store::Principal& caller,
                                              const v1::AddNoteRequest& request);
  absl::StatusOr<v1::ListNotesResponse> ListNotes(const v1::ListNotesRequest& request);
  absl::StatusOr<v1::ImportView> WithdrawImport(const store::Principal& caller,
                                                const v1::WithdrawImportRequest& request);
  absl::StatusOr<v1::NoteView> WithdrawNote(const store::Principal& caller,
                                            const v1::WithdrawNoteRequest& request);

 private:
  store::Database& database_;
};

}  // namespace shakedown::service
