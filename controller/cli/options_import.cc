// Options of the commands about other tools' results and people's notes.
#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/cli/option_kinds.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr char kImportFooter[] =
    R"(Reads what `shakedown parse` reads, shows what it read, and stores the text byte for byte with its values. The
kernel and the machine are yours to say: what the text says of a kernel is only asked about. Tunables stand
behind a kernel's name: --kernel "2.6.35 sched_granularity_ns=2000000". A text of several systems wants --as for
each: the column's name, or the kernel that the text names. Nothing is asked without a terminal: what is unclear
is refused then. The same text of the same kernel and machine is stored once.

A text of our own form, which `shakedown imports 17 --csv` prints, says kernels and machine itself.

What is stored is shown by `shakedown compare KERNEL KERNEL --machine NAME` and, as series of its own called imported,
by `shakedown history`.

--json prints {"imports":[{"file","import","existed","values"} or {"file","error"}]}, with --dry-run the JSON of
`shakedown parse`.

Exit code: 0 all is stored or was; 1 something was refused; 2 no answer from the farm; 64 wrong usage, or kernel or
machine not said; 66 a file can not be read. Of several files the first that is not 0.

Examples:
  shakedown import 2.6.35-ck1.log --kernel 2.6.35-ck1 --machine p4-ht --source https://lkml.org/…
  shakedown import mail.txt --machine hp-2510p --as BFS=2.6.30.5-bfs-209 --as CFS=2.6.31-rc9
  vmstat 1 60 | shakedown import - --kernel 6.12 --machine x1)";

constexpr char kImportsFooter[] =
    R"(Without ID: list them, newest first; --before pages on. With ID: what is known of it and its values; --raw the
text as it was brought, byte for byte; --csv its values in a form that `shakedown import` takes.
What was imported wrongly is withdrawn: it is in no list and no comparison any more, and can be imported again. It
stays, with who withdrew it and why: --withdrawn lists such ones.

--json prints the proto's JSON (proto/shakedown/v1/import.proto), every field present: ListImportsResponse, with ID
GetImportResponse (`raw` in base64), of withdraw ImportView.

Examples:
  shakedown imports withdraw 17 --because "of 2.6.35, not 2.6.35-ck1")";

constexpr char kNoteFooter[] =
    R"(SUBJECT is a job (17), a boot (17.3B, 17.3B.2), kernel:NAME or machine:NAME. Notes stand in the reports of the
jobs that they are about, and beside kernels that are compared.

Examples:
  shakedown note 17.3B --kind freeze "mouse froze for two seconds while make ran")";

constexpr char kNotesFooter[] =
    R"(Newest first, each with its number. Of a job with those of its boots. What was noted wrongly is withdrawn: it is in
no list and no report any more, and stays with who withdrew it and why: --withdrawn lists such ones. --json prints
the proto's JSON (ListNotesResponse of proto/shakedown/v1/import.proto, of withdraw NoteView), every field present.

Examples:
  shakedown notes withdraw 5 --because "it was the other machine")";

// "withdraw N --because TEXT" of imports and notes.
CLI::App* AddWithdraw(CLI::App* of, const std::string& name, const std::string& one,
                      std::string& because, bool& json, const std::function<void(int64_t)>& store) {
  CLI::App* withdraw = of->add_subcommand("withdraw", "Take back what is wrong");
  AddNumber<int64_t>(withdraw, name, 1, INT64_MAX, store, one)->required();
  withdraw->add_option("--because", because, "What is wrong with it, at most 4 KiB")
      ->required()
      ->type_name("TEXT");
  AddJson(withdraw, json);
  return withdraw;
}

void AddImport(CLI::App& app, Parse& parse) {
  ImportArgs& args = parse.import;
  CLI::App* import = app.add_subcommand("import", "Store results of other tools")->group("Results");
  import->add_option("FILE", args.files, "Logs and mails; - is standard input")->required();
  import->add_option("--kernel", args.kernel, "The kernel they are of")->type_name("KERNEL");
  import->add_option("--machine", args.machine, "Where they were measured")->type_name("NAME");
  AddMany(import, "--as", args.columns, "Of a text of several systems; once for each",
          "COLUMN=KERNEL");
  import->add_option("--source", args.source, "Where the text is from: a URL, a message id")
      ->type_name("TEXT");
  import->add_option("--measured", args.measured, "When it was measured")->type_name("YYYY-MM-DD");
  AddMany(import, "--fact", args.facts, "What to know of it; once for each", "NAME=VALUE");
  import->add_flag("--dry-run", args.dry_run, "Only show what would be read; needs no farm");
  import->add_flag("--yes", args.yes,
                   "Store also when some lines can not be read or the text names another kernel");
  AddJson(import, args.json);
  import->footer(kImportFooter);
  import->callback([&parse] { parse.invocation.command = parse.import;
});
}  // namespace

void AddImports(CLI::App& app, Parse& parse) {
  ImportsArgs& args = parse.imports;
  CLI::App* imports =
      app.add_subcommand("imports", "List and show what was imported")->group("Results");
  AddNumber<int64_t>(
      imports, "IMPORT", 1, INT64_MAX, [&args](int64_t id) { args.import = id; }, "One import");
  imports->add_option("--kernel", args.kernel, "Of this kernel only")->type_name("KERNEL");
  imports->add_option("--machine", args.machine, "Of this machine only")->type_name("NAME");
  AddNumber<uint32_t>(
      imports, "--limit", 1, 1000, [&args](uint32_t n) { args.limit = n; },
      "At most so many, the newest; 1 to 1000, default 50");
  AddNumber<int64_t>(
      imports, "--before", 1, INT64_MAX, [&args](int64_t id) { args.before = id; },
      "Only those older than this one");
  CLI::Option* raw = imports->add_flag("--raw", args.raw, "Print the text as it was brought");
  imports->add_flag("--csv", args.csv, "Print the values in a form that import takes")
      ->excludes(raw);
  imports->add_flag("--withdrawn", args.withdrawn, "List those that were withdrawn");
  AddJson(imports, args.json);
  imports->footer(kImportsFooter)->require_subcommand(0, 1);
  CLI::App* withdraw = AddWithdraw(imports, "IMPORT", "An import", args.because, args.json,
                                   [&args](int64_t id) { args.import = id; });
  withdraw->callback([&parse] {
    parse.imports.withdraw = true;
    parse.invocation.command = parse.imports;
  });
  // Runs also when one of its commands was chosen.
  imports->callback([&parse, imports] {
    if (!imports->get_subcommands().empty()) return;
    if ((parse.imports.raw || parse.imports.csv) && parse.imports.import == 0) {
      throw CLI::ValidationError("--raw and --csv want the number of an import");
    }
    parse.invocation.command = parse.imports;
  });
}

void AddNotes(CLI::App& app, Parse& parse) {
  NoteArgs& args = parse.note;
  CLI::App* note = app.add_subcommand("note", "Write down what you saw")->group("Results");
  note->add_option("SUBJECT", args.subject, "A boot, a job, kernel:NAME or machine:NAME")
      ->required();
  note->add_option("TEXT", args.text, "What you saw, at most 4 KiB")->required();
  AddChoice(
      note, "--kind", {"freeze", "audio", "video", "launch", "browse", "other"},
      [&args](const std::string& kind) { args.kind = kind; }, "What it was about")
      ->required();
  AddJson(note, args.json);
  note->footer(kNoteFooter);
  note->callback([&parse] { parse.invocation.command = parse.note; });

  NotesArgs& list = parse.notes;
  CLI::App* notes = app.add_subcommand("notes", "List what people saw")->group("Results");
  notes->add_option("SUBJECT", list.subject, "Only of this one");
  AddNumber<uint32_t>(
      notes, "--limit", 1, 1000, [&list](uint32_t n) { list.limit = n; },
      "At most so many, the newest; 1 to 1000, default 50");
  AddNumber<int64_t>(
      notes, "--before", 1, INT64_MAX, [&list](int64_t id) { list.before = id; },
      "Only those older than this one");
  notes->add_flag("--withdrawn", list.withdrawn, "List those that were withdrawn");
  AddJson(notes, list.json);
  notes->footer(kNotesFooter)->require_subcommand(0, 1);
  CLI::App* withdraw = AddWithdraw(notes, "NOTE", "A note", list.because, list.json,
                                   [&list](int64_t id) { list.withdraw = id; });
  withdraw->callback([&parse] { parse.invocation.command = parse.notes; });
  notes->callback([&parse, notes] {
    if (notes->get_subcommands().empty()) parse.invocation.command = parse.notes;
  });
}

}  // namespace shakedown::cli

void AddImportCommands(CLI::App& app, Parse& parse) {
  AddImport(app, parse);
  AddImports(app, parse);
  AddNotes(app, parse);
}

}  // namespace shakedown::cli
