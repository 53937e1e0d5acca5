// ImportService over HTTP.
#include "controller/web/api.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::web {

MethodTable ImportMethods(const service::Backend& backend) {
  MethodTable table(*v1::AddImportRequest::descriptor(), "ImportService");
  service::ImportApi& imports = backend.imports;
  table.AddUnary<v1::AddImportRequest>(
      "AddImport", kChanges,
      [&imports](const auto& by, const auto& r) { return imports.AddImport(by, r); });
  table.AddUnary<v1::ListImportsRequest>(
      "ListImports", kReads,
      [&imports](const auto&, const auto& r) { return imports.ListImports(r); });
  table.AddUnary<v1::GetImportRequest>(
      "GetImport", kReads, [&imports](const auto&, const auto& r) { return imports.GetImport(r); });
  table.AddUnary<v1::CompareKernelsRequest>(
      "CompareKernels", kReads,
      [&imports](const auto&, const auto& r) { return imports.CompareKernels(r); });
  table.AddUnary<v1::AddNoteRequest>(
      "AddNote", kChanges,
      [&imports](const auto& by, const auto& r) { return imports.AddNote(by, r); });
  table.AddUnary<v1::ListNotesRequest>(
      "ListNotes", kReads, [&imports](const auto&, const auto& r) { return imports.ListNotes(r); });
  table.AddUnary<v1::WithdrawImportRequest>(
      "WithdrawImport", kChanges,
      [&imports](const auto& by, const auto& r) { return imports.WithdrawImport(by, r); });
  table.AddUnary<v1::WithdrawNoteRequest>(
      "WithdrawNote", kChanges,
      [&imports](const auto& by, const auto& r) { return imports.WithdrawNote(by, r); });
  return table;
}

}  // namespace shakedown::web
