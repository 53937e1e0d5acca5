// imports, note, notes: what was imported, and what people saw.
#include <charconv>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/import_client.h"
#include "controller/cli/note_lines.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "controller/import/plain.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string KernelsText(const v1::ImportView& view) {
  std::set<std::string> kernels;
  for (const auto& [name, kernel] : view.variants()) kernels.insert(kernel);
  return PrintableLine(absl::StrJoin(kernels, ", "));
}

std::string Exact(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

std::string WithdrawnText(const v1::Withdrawal& withdrawal, absl::TimeZone zone) {
  return absl::StrCat(TimeText(withdrawal.at(), zone), " by ", PrintableLine(withdrawal.by()), ": ",
                      PrintableLine(withdrawal.why(), 4096));
}

int ListAll(const Desk& desk, const ImportsArgs& args) {
  v1::ListImportsRequest request;
  request.set_kernel(args.kernel);
  request.set_machine(args.machine);
  request.set_limit(args.limit);
  request.set_before(args.before);
  request.set_withdrawn(args.withdrawn);
  const absl::StatusOr<v1::ListImportsResponse> answer = desk.imports->ListImports(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  if (answer->imports().empty()) {
    desk.screen.Note(args.withdrawn ? "no import was withdrawn"
                                    : "no imports: see shakedown import --help");
    return kOk;
  }
  Rows rows;
  for (const v1::ImportView& view : answer->imports()) {
    rows.push_back({absl::StrCat(view.import()), KernelsText(view), PrintableLine(view.machine()),
                    PrintableLine(view.format()), absl::StrCat(view.values()),
                    TimeText(view.measured(), absl::UTCTimeZone()).substr(0, 10),
                    view.shipped() ? "shakedown itself" : PrintableLine(view.submitter()),
                    PrintableLine(view.source())});
  }
  desk.screen.Print(PrintTable({{.header = "IMPORT", .align = Column::Align::kRight},
                                {.header = "KERNEL", .may_shrink = true},
                                {.header = "MACHINE"},
                                {.header = "FORMAT", .may_shrink = true},
                                {.header = "VALUES", .align = Column::Align::kRight},
                                {.header = "MEASURED"},
                                {.header = "BY", .may_shrink = true},
                                {.header = "SOURCE", .may_shrink = true}},
                               rows, desk.screen.size().columns));
  if (answer->next_before() != 0) {
    desk.screen.Note(absl::StrCat("older ones: --before ", answer->next_before()));
  }
  return kOk;
}

std::string HeadText(const v1::ImportView& view, absl::TimeZone zone) {
  std::string out = absl::StrCat("Import ", view.import(), ": ", PrintableLine(view.file()), "\n");
  const auto add = [&](absl::string_view name, const std::string& text) {
    if (!text.empty()) absl::StrAppend(&out, "  ", name, " ", PrintableLine(text, 1000), "\n");
  };
  for (const auto& [name, kernel] :
       std::map<std::string, std::string>(view.variants().begin(), view.variants().end())) {
    add("kernel  ",
        name.empty() || name == kernel ? kernel : absl::StrCat(kernel, ", in the text ", name));
  }
  add("machine ", view.machine());
  add("format  ", view.format());
  add("source  ", view.source());
  add("measured", TimeText(view.measured(), absl::UTCTimeZone()).substr(0, 10));
  add("added   ", absl::StrCat(TimeText(view.added(), zone), " by ", view.submitter()));
  add("text    ", absl::StrCat(view.size(), " bytes, SHA-256 ", view.sha256()));
  for (const auto& [name, fact] :
       std::map<std::string, std::string>(view.facts().begin(), view.facts().end())) {
    add("fact    ", absl::StrCat(name, " = ", fact));
  }
  if (view.has_withdrawn()) add("withdrawn", WithdrawnText(view.withdrawn(), zone));
  if (view.refused() > 0) add("refused ", absl::StrCat(view.refused(), " lines"));
  return out;
}

std::string ValuesTable(const v1::GetImportResponse& answer, size_t columns) {
  Rows rows;
  for (const v1::ImportedValue& value : answer.values()) {
    rows.push_back({absl::StrCat(value.line()), PrintableLine(value.kernel()),
                    PrintableLine(value.metric()), PrintableLine(value.detail()),
                    absl::StrCat(value.run(), value.iteration() > 1 || value.warmup()
                                                  ? absl::StrCat(".", value.iteration())
                                                  : ""),
                    absl::StrCat(Exact(value.value()), value.starred() ? "*" : ""),
                    absl::StrCat(PrintableLine(value.unit()), value.unit_said() ? "" : " (default)",
                                 value.warmup() ? " (warm-up)" : "")});
  }
  return PrintTable({{.header = "LINE", .align = Column::Align::kRight},
                     {.header = "KERNEL", .may_shrink = true},
                     {.header = "METRIC", .may_shrink = true},
                     {.header = "OF", .may_shrink = true},
                     {.header = "RUN", .align = Column::Align::kRight},
                     {.header = "VALUE", .align = Column::Align::kRight},
                     {.header = "UNIT"}},
                    rows, columns);
}

std::string Csv(const v1::GetImportResponse& answer) {
  const v1::ImportView& view = answer.import();
  importer::PlainHead head{.machine = view.machine(),
                           .source = view.source(),
                           .measured = TimeText(view.measured(), absl::UTCTimeZone()).substr(0, 10),
                           .facts = {view.facts().begin(), view.facts().end()}};
  std::vector<importer::Row> rows;
  for (const v1::ImportedValue& value : answer.values()) {
    rows.push_back({.variant = value.kernel(),
                    .metric = value.metric(),
                    .detail = value.detail(),
                    .value = value.value(),
                    .unit = value.unit(),
                    .unit_said = value.unit_said(),
                    .direction = value.direction() == "lower"    ? importer::Direction::kLower
                                 : value.direction() == "higher" ? importer::Direction::kHigher
                                                                 : importer::Direction::kUnknown,
                    .run = static_cast<int>(value.run()),
                    .iteration = static_cast<int>(value.iteration()),
                    .warmup = value.warmup(),
                    .marks = {value.marks().begin(), value.marks().end()}});
  }
  return importer::PrintPlain(head, rows);
}

int ShowOne(const Desk& desk, const ImportsArgs& args) {
  v1::GetImportRequest request;
  request.set_import(args.import);
  const absl::StatusOr<v1::GetImportResponse> answer = desk.imports->GetImport(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.raw) {
    desk.screen.PrintRaw(answer->raw());
  } else if (args.csv) {
    desk.screen.PrintRaw(Csv(*answer));
  } else if (args.json) {
    desk.screen.PrintJson(*answer);
  } else {
    desk.screen.Print(absl::StrCat(HeadText(answer->import(), desk.screen.zone()), "\n",
                                   ValuesTable(*answer, desk.screen.size().columns)));
  }
  return kOk;
}

// `name`: "import 17".
template <typename View>
int SayWithdrawn(const Desk& desk, const absl::StatusOr<View>& answer, const std::string& name,
                 bool json) {
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (json) {
    desk.screen.PrintJson(*answer);
  } else {
    desk.screen.Print(absl::StrCat(name, ": withdrawn ",
                                   WithdrawnText(answer->withdrawn(), desk.screen.zone()), "\n"));
  }
  return kOk;
}

int WithdrawImport(const Desk& desk, const ImportsArgs& args) {
  v1::WithdrawImportRequest request;
  request.set_import(args.import);
  request.set_why(ToUtf8(args.because));
  return SayWithdrawn(desk, desk.imports->WithdrawImport(request),
                      absl::StrCat("import ", args.import), args.json);
}

int WithdrawNote(const Desk& desk, const NotesArgs& args) {
  v1::WithdrawNoteRequest request;
  request.set_note(args.withdraw);
  request.set_why(ToUtf8(args.because));
  return SayWithdrawn(desk, desk.imports->WithdrawNote(request),
                      absl::StrCat("note ", args.withdraw), args.json);
}

}  // namespace

std::string NoteLines(const google::protobuf::RepeatedPtrField<v1::NoteView>& notes) {
  std::string out;
  for (const v1::NoteView& note : notes) {
    absl::StrAppend(&out, PrintableLine(note.subject()), " ", PrintableLine(note.kind()), " (",
                    PrintableLine(note.author()),
                    note.source().empty() ? "" : absl::StrCat(", ", PrintableLine(note.source())),
                    "): ", PrintableLine(note.text(), 4096), "\n");
  }
  return out;
}

int Imports(const Desk& desk, const ImportsArgs& args) {
  if (args.withdraw) return WithdrawImport(desk, args);
  return args.import == 0 ? ListAll(desk, args) : ShowOne(desk, args);
}

int AddNote(const Desk& desk, const NoteArgs& args) {
  v1::AddNoteRequest request;
  request.set_subject(ToUtf8(args.subject));
  request.set_kind(ToUtf8(args.kind));
  request.set_text(ToUtf8(args.text));
  const absl::StatusOr<v1::AddNoteResponse> answer = desk.imports->AddNote(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(answer->note());
  } else {
    desk.screen.Print(absl::StrCat("note ", answer->note().note(), " on ",
                                   PrintableLine(answer->note().subject()), "\n"));
  }
  return kOk;
}

int ListNotes(const Desk& desk, const NotesArgs& args) {
  if (args.withdraw != 0) return WithdrawNote(desk, args);
  v1::ListNotesRequest request;
  request.set_subject(ToUtf8(args.subject));
  request.set_limit(args.limit);
  request.set_before(args.before);
  request.set_withdrawn(args.withdrawn);
  const absl::StatusOr<v1::ListNotesResponse> answer = desk.imports->ListNotes(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  if (answer->notes().empty()) {
    desk.screen.Note(args.withdrawn ? "no note was withdrawn"
                                    : "no notes: see shakedown note --help");
    return kOk;
  }
  for (const v1::NoteView& note : answer->notes()) {
    google::protobuf::RepeatedPtrField<v1::NoteView> one;
    *one.Add() = note;
    desk.screen.Print(absl::StrCat(note.note(), ": ", NoteLines(one)));
    if (!note.has_withdrawn()) continue;
    desk.screen.Print(
        absl::StrCat("  withdrawn ", WithdrawnText(note.withdrawn(), desk.screen.zone()), "\n"));
  }
  if (answer->next_before() != 0) {
    desk.screen.Note(absl::StrCat("older ones: --before ", answer->next_before()));
  }
  return kOk;
}

}  // namespace shakedown::cli
