// Options of the commands that read files and need no farm.
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/option_kinds.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr char kCompareFooter[] =
    R"(One row a boot, one column a metric, the first line names them. A column "block" pairs the rows of both
files. Metrics of ours are known by name (make.real, latt.wakeup.avg, interbench.video.burn.latency.max);
others are declared by --metric or by a line "# metric NAME:lower|higher:ratio|difference:UNIT" in a file,
which may go on with :floor=, :resolution=, :delta_rel=, :delta_abs= and :role=primary|secondary|info. Up to
three metrics are primary unless roles are given; more are secondary. Needs no farm.

With --machine the arguments are kernels, of any number, and the farm's stored results of them on that machine
are put side by side: imports, the published figures that come with the program, and the farm's own boots in rows
of their own. --metric is then the beginning of the names of metrics; tunables may stand behind a kernel's name in
the same argument, and without them each set of tunables has its column. --json prints the proto's JSON
(CompareKernelsResponse of proto/shakedown/v1/import.proto), a change that does not exist as "NaN".

Examples:
  shakedown compare cfs.csv eevdf.csv
  shakedown compare cfs.csv eevdf.csv --metric fps:higher:ratio:1/s --json
  shakedown compare 2.6.35.csv 2.6.35-ck1.csv --asterisk classic
  shakedown compare 2.6.35 2.6.35-ck1 --machine p4-ht --metric interbench.video)";

constexpr char kChangePointsFooter[] =
    R"(The first column is the order of the points (a number, a kernel version, a date), the last one the value unless
--column says another; a first line without a value is the header. Rows without a value are left out and
counted. What it finds is a reason to run a paired job, not a verdict. Needs no farm.

Examples:
  shakedown changepoints wakeup.csv
  shakedown changepoints wakeup.csv --column latt.wakeup.avg --min-magnitude 0.05 --json)";

constexpr char kParseFooter[] =
    R"(Reads what people have in mails and logs: interbench, latt, time (bash, zsh, csh, BusyBox, GNU -v), kernbench,
vmstat, top -b, hackbench, schbench, cyclictest, perf stat, perf bench sched messaging, Phoronix XML, mmtests,
and tables of two systems side by side. Quoting, quoted-printable, CR/LF and escape sequences do not matter.
What can not be read is refused with its line; nothing is guessed. Needs no farm; FILE - is standard input.

With --json: {"files":[{"file","results":[…],"notes":[{"line","text"}],"refused":[{"line","reason"}]}]}, a
result being {"tool","form","version"?,"metric","value","unit","unit_from"?,"direction"?,"line","context"?,
"marks"?}: unit null when nothing says it; unit_from "default" when it is the tool's and an option not seen
could change it; direction lower or higher, whichever is better; context benchmark, load, kernel, thread, …;
marks "*" and other remarks on one value. Members with ? are left out when empty.

Exit code: 0 everything was read, 1 something was refused, 64 usage, 66 a file can not be read.

Examples:
  shakedown parse 2.6.35-ck1.log
  vmstat 1 60 | shakedown parse - --json)";

void AddCompare(CLI::App& app, Parse& parse) {
  CompareArgs& args = parse.compare;
  CLI::App* compare = app.add_subcommand(
      "compare", "Judge two CSV files without a farm, or kernels by stored results");
  compare->group("Files");
  compare
      ->add_option("BASE CHALLENGER", args.what,
                   "CSV files of baseline and challenger; with --machine kernels")
      ->type_name("")
      ->required()
      ->expected(2, 16);
  compare->add_option("--machine", args.machine, "Compare kernels by their results on this machine")
      ->type_name("NAME");
  AddMany(compare, "--metric", args.metrics,
          "What a column is, once for each; of kernels: which metrics", "NAME:DIR:SCALE:UNIT");
  compare
      ->add_option_function<std::string>(
          "--level",
          [&args](const std::string& text) {
            if (!absl::SimpleAtod(text, &args.level) || !(args.level > 0.5 && args.level < 1)) {
              throw CLI::ValidationError(absl::StrCat(
                  "--level ", Quoted(text), ": want above 0.5 and below 1, default 0.95"));
            }
          },
          "Confidence level of the intervals, default 0.95")
      ->type_name("P");
  compare
      ->add_option_function<std::string>(
          "--asterisk",
          [&args](const std::string& text) {
            if (text != "classic" && text != "default") {
              throw CLI::ValidationError(
                  absl::StrCat("--asterisk ", Quoted(text), ": want classic or default"));
            }
            args.classic = text == "classic";
          },
          "classic: star by the rule of the 2010 post alone")
      ->type_name("RULE");
  AddJson(compare, args.json);
  compare->footer(kCompareFooter);
  compare->callback([&parse] {
    const CompareArgs& args = parse.compare;
    if (args.machine.empty() && args.what.size() != 2) {
      throw CLI::ValidationError("want two files, or --machine to compare kernels");
    }
    if (!args.machine.empty() && args.metrics.size() > 1) {
      throw CLI::ValidationError("--metric: with --machine want one, the beginning of names");
    }
    parse.invocation.command = parse.compare;
  });
}

void AddChangePoints(CLI::App& app, Parse& parse) {
  ChangePointsArgs& args = parse.change_points;
  CLI::App* points =
      app.add_subcommand("changepoints", "Find the steps of a series, without a farm");
  points->group("Files");
  points->add_option("SERIES", args.file, "CSV file: order key first, value last")
      ->type_name("FILE")
      ->required();
  points->add_option("--column", args.column, "Which column holds the values: its name or number")
      ->type_name("NAME");
  points
      ->add_option_function<std::string>(
          "--min-magnitude",
          [&args](const std::string& text) {
            if (!absl::SimpleAtod(text, &args.min_magnitude) || !(args.min_magnitude >= 0) ||
                args.min_magnitude > 1000) {
              throw CLI::ValidationError(absl::StrCat("--min-magnitude ", Quoted(text),
                                                      ": want 0 to 1000, e.g. 0.05 for 5 %"));
            }
          },
          "Leave out steps of at most this part of the median, default 0.025")
      ->type_name("PART");
  AddJson(points, args.json);
  points->footer(kChangePointsFooter);
  points->callback([&parse] { parse.invocation.command = parse.change_points; });
}

void AddParse(CLI::App& app, Parse& parse) {
  CLI::App* sub = app.add_subcommand("parse", "Read results of other tools, without a farm");
  sub->group("Files");
  sub->add_option("FILE", parse.parse.files, "Logs and mails; - is standard input")->required();
  AddJson(sub, parse.parse.json);
  sub->footer(kParseFooter);
  sub->callback([&parse] { parse.invocation.command = parse.parse; });
}

}  // namespace

void AddFileCommands(CLI::App& app, Parse& parse) {
  AddCompare(app, parse);
  AddChangePoints(app, parse);
  AddParse(app, parse);
}

}  // namespace shakedown::cli
