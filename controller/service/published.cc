#include "controller/service/published.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/import/plain.h"
#include "controller/service/import_text.h"
#include "controller/service/store_call.h"
#include "db/published/published.h"
#include "db/store/imports.h"
#include "db/store/notes.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr absl::string_view kNotes = "notes.csv";
constexpr absl::string_view kNotesFirst = "# shakedown notes 1";
constexpr absl::string_view kNotesHeading = "subject,kind,author,source,text";

absl::StatusOr<store::NewImport> ImportOf(const published::File& file) {
  v1::AddImportRequest request;
  request.set_file(file.name);
  request.set_raw(file.content);
  ASSIGN_OR_RETURN(store::NewImport import, PrepareImport(request, "shakedown"));
  import.shipped = true;
  return import;
}

}  // namespace

absl::StatusOr<std::vector<v1::NoteView>> ParseNotes(absl::string_view text) {
  std::vector<v1::NoteView> notes;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const auto bad = [](size_t line, absl::string_view want) {
    return absl::InvalidArgumentError(absl::StrCat("line ", line, ": want ", want));
  };
  if (lines[0] != kNotesFirst) return bad(1, kNotesFirst);
  bool heading = false;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i][0] == '#') continue;
    if (!heading) {
      if (lines[i] != kNotesHeading) return bad(i + 1, kNotesHeading);
      heading = true;
      continue;
    }
    const auto fields = importer::CsvFields(lines[i]);
    if (!fields.has_value() || fields->size() != 5) return bad(i + 1, "5 fields of CSV");
    v1::NoteView& note = notes.emplace_back();
    note.set_subject((*fields)[0]);
    note.set_kind((*fields)[1]);
    note.set_author((*fields)[2]);
    note.set_source((*fields)[3]);
    note.set_text((*fields)[4]);
  }
  return notes;
}

absl::Status PutPublished(store::Database& database) {
  std::vector<store::NewImport> imports;
  std::vector<v1::NoteView> notes;
  for (const published::File& file : published::Files()) {
    if (file.name == kNotes) {
      absl::StatusOr<std::vector<v1::NoteView>> parsed = ParseNotes(file.content);
      if (!parsed.ok()) return Annotate(parsed.status(), file.name);
      notes = *std::move(parsed);
    } else {
      ASSIGN_OR_RETURN(store::NewImport import, ImportOf(file));
      imports.push_back(std::move(import));
    }
  }
  RETURN_IF_ERROR(FromStore([&] { return store::PutShippedImports(database, imports); }));
  return FromStore([&] { return store::PutShippedNotes(database, notes); });
}

}  // namespace shakedown::service
