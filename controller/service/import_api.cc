#include "controller/service/import_api.h"

#include "absl/strings/str_cat.h"
#include "controller/service/import_text.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_call.h"
#include "db/store/imports.h"
#include "db/store/notes.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::Status CheckNumber(absl::string_view what, int64_t number) {
  if (number >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " ", number, ": want a number from 1"));
}

}  // namespace

absl::StatusOr<v1::AddImportResponse> ImportApi::AddImport(const store::Principal& caller,
                                                           const v1::AddImportRequest& request) {
  ASSIGN_OR_RETURN(const store::NewImport import,
                   NoThrow("import", [&] { return PrepareImport(request, caller.name); }));
  return FromStore([&] { return store::AddImport(database_, import); });
}

absl::StatusOr<v1::ListImportsResponse> ImportApi::ListImports(
    const v1::ListImportsRequest& request) {
  return FromStore([&] { return store::ListImports(database_, request); });
}

absl::StatusOr<v1::GetImportResponse> ImportApi::GetImport(const v1::GetImportRequest& request) {
  RETURN_IF_ERROR(CheckNumber("import", request.import()));
  return FromStore([&] { return store::GetImport(database_, request.import()); });
}

absl::StatusOr<v1::AddNoteResponse> ImportApi::AddNote(const store::Principal& caller,
                                                       const v1::AddNoteRequest& request) {
  ASSIGN_OR_RETURN(const store::NoteSubject subject, store::ParseNoteSubject(request.subject()));
  v1::AddNoteResponse response;
  ASSIGN_OR_RETURN(*response.mutable_note(), FromStore([&] {
    return store::AddNote(database_, subject, request.kind(), request.text(), caller.name);
  }));
  return response;
}

absl::StatusOr<v1::ListNotesResponse> ImportApi::ListNotes(const v1::ListNotesRequest& request) {
  return FromStore([&] { return store::ListNotes(database_, request); });
}

absl::StatusOr<v1::ImportView> ImportApi::WithdrawImport(const store::Principal& caller,
                                                         const v1::WithdrawImportRequest& request) {
  RETURN_IF_ERROR(CheckNumber("import", request.import()));
  return FromStore([&] {
    return store::WithdrawImport(database_, request.import(), caller.name, request.why());
  });
}

absl::StatusOr<v1::NoteView> ImportApi::WithdrawNote(const store::Principal& caller,
                                                     const v1::WithdrawNoteRequest& request) {
  RETURN_IF_ERROR(CheckNumber("note", request.note()));
  return FromStore(
      [&] { return store::WithdrawNote(database_, request.note(), caller.name, request.why()); });
}

}  // namespace shakedown::service
