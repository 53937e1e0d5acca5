#include "controller/cli/options.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/exit_code.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr char kVersion[] = "shakedown 0.1.0";

constexpr char kFooter[] = R"(Start here:
  shakedown kernels                      what can be compared
  shakedown submit --baseline debian-6.1 --challenger debian-6.12 --load make --load latt --wait
  shakedown watch 17                     follow job 17; leaving does not stop it
  shakedown report 17                    its numbers
  shakedown COMMAND --help               options and examples of one command

A boot is written 17.3B: job 17, block 3, variant B (A is the baseline); 17.3B.2 is its second attempt.

The farm: --server and --token-file, else SHAKEDOWN_SERVER and SHAKEDOWN_TOKEN_FILE, else the lines
"server = …" and "token_file = …" in ~/.config/shakedown/cli.conf, which deploy/quickstart writes.

Exit codes of watch and submit --wait: 0 no primary metric is worse; 1 one is; 2 the farm failed or does
not answer; 3 some kernel failed; 4 inconclusive, or cancelled; 64 wrong usage or something unknown asked
for; 74 the output can not be written; 130 interrupted. Of the others: 0 done; 1 anything that is not one
of these. A job of fewer than 6 blocks has no verdict: 0 when all was measured.)";

constexpr char kSubmitFooter[] =
    R"(A variant is a kernel and what is set in it: 'KERNEL [NAME=VALUE…]', one argument. A name with a dot or
a slash is a tunable (sysctl, or a file in sched debugfs); any other word is a boot parameter. A sched_ext
scheduler stands at the end: 'KERNEL [scx:NAME] -- PROGRAM [ARGUMENT…]'.
A load is a word and its options, one argument ('…' in it keeps blanks together):
  make [jobs=4|2x] [targets=vmlinux,modules] [cold] [tree=INPUT] [config=allnoconfig|FILE]
       jobs=1,2,2x is a load for each; 2x is twice the CPUs; cold drops the caches before each build
  latt [clients=4] [sleep=100] [width=500] [work=64] [seconds=15] [profile=2009-09-08|0.1]
       [jobs=…] [targets=…] [-- COMMAND…]        how long woken tasks wait while make or a command runs
  interbench [benchmarks=Video,X] [loads=None,Burn] [seconds=10] [profile=HEAD|0.31] [bench_nice=N]
       [load_nice=N] [realtime]                   simulated interactive tasks under loads
  launch [count=50] [pause=100] [cold] [beside=…] [-- PROGRAM…]     how long a new process takes to start
  frames [fps=25|30|60] [seconds=30] [cpu=30] [threads=1] [beside=…]   a film: frames dropped, freezes
  command [parallel=2] [latt] [script=FILE] [-- PROGRAM…]              timed, alone or n at one time
  tool hackbench|cyclictest|stress-ng|sysbench|perf-messaging|perf-pipe [seconds=10] [-- ARGUMENT…]
beside= is burn:THREADS, make, make:JOBS or command:PROGRAM,ARGUMENT. All take iterations=N and
warmups=N, and all but interbench nice=N. An activity is audio, video or command PROGRAM…, with
name=NAME and nice=N before the program; one that ends makes the load run fail.
A setup step is done in every boot before its first load and undone after the last: 'stop SERVICE',
drop_caches, 'governor NAME', 'turbo on|off', 'autogroup on|off', 'sysctl NAME=VALUE', require_ac, and
before each load settle:load=N,celsius=N,seconds=N,limit=N.

Examples:
  shakedown submit --baseline debian-6.1 --challenger debian-6.12-hz1000 \
                   --load make --load latt --load interbench --blocks 2
  shakedown submit --baseline debian-6.12 --challenger 'debian-6.12 kernel.sched_autogroup_enabled=0' \
                   --load 'latt clients=8 seconds=30' --blocks 6 --machine lab1-vm1
  shakedown submit job.txtpb --setup 'governor performance' --setup settle:load=0.5,limit=60
  shakedown submit --baseline debian-6.1 --challenger debian-6.12 --load make --looks --budget 4h --wait
  shakedown submit --baseline debian-6.1 --challenger debian-6.12 --load 'frames fps=60 beside=make:2x' \
                   --load 'make jobs=1,2,4 nice=10' --background audio
  shakedown submit job.txtpb --dry-run      what would be built and booted, in which order, how long
  shakedown submit job.txtpb --wait         0 not worse, 1 worse, 2 the farm failed,
                                            3 some kernel failed, 4 inconclusive

A job file is a JobSpec (proto/shakedown/v1/job.proto) as text proto; --title, --blocks, --quick, --looks,
--budget, --primary, --control, --machine, --tag, --attempts and --seed win over what it says.

With --json the answer is the proto's JSON: SubmitJobResponse; with --dry-run PlanJobResponse; with --wait
the JobView after the end, while progress goes to the error stream.)";

constexpr char kLogsFooter[] = R"(Examples:
  shakedown logs 17.1B                   console and runner of a boot's latest attempt
  shakedown logs 17.1B.1 --follow        of its first attempt, and what is still to come
  shakedown logs 3f2a91bc                of a build, as `shakedown builds` shows its id)";

constexpr char kReproduceFooter[] =
    R"(A POSIX shell script: it checks the kernel, sets tunables and setup steps, runs the loads with
shakedown-runner, and takes back what it changed. Read it before you run it; it wants root.

Examples:
  shakedown reproduce 17.3B > 17.3B.sh
  shakedown reproduce 17.3B.2            the second attempt; without a number the latest)";

constexpr char kAddFooter[] =
    R"(Patches are applied in the order given, after those of the base; options are set after the base's and win.

Examples:
  shakedown kernels add 6.12-mine --from debian-6.12-hz1000 --patch 0001-mine.patch --config SCHED_MINE=y
  shakedown kernels add 6.12-hz300 --from debian-6.12 --config HZ_300=y --config HZ_1000=n)";

constexpr char kLintFooter[] =
    R"(Without FILE: the whole catalog in kernels/catalog with the fragments in kernels/configs of the folder you
are in. Needs no farm. Exit code 1 when something is wrong.)";

constexpr char kCompareFooter[] =
    R"(One row a boot, one column a metric, the first line names them. A column "block" pairs the rows of both
files. Metrics of ours are known by name (make.real, latt.wakeup.avg, interbench.video.burn.latency.max);
others are declared by --metric or by a line "# metric NAME:lower|higher:ratio|difference:UNIT" in a file,
which may go on with :floor=, :resolution=, :delta_rel=, :delta_abs= and :role=primary|secondary|info. Up to
three metrics are primary unless roles are given; more are secondary. Needs no farm.

Examples:
  shakedown compare cfs.csv eevdf.csv
  shakedown compare cfs.csv eevdf.csv --metric fps:higher:ratio:1/s --json
  shakedown compare 2.6.35.csv 2.6.35-ck1.csv --asterisk classic)";

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

Exit code: 0 everything was read, 1 something was refused, 64 usage, 74 a file can not be read.

Examples:
  shakedown parse 2.6.35-ck1.log
  vmstat 1 60 | shakedown parse - --json)";

constexpr char kListFooter[] =
    "--json prints the proto's JSON (proto/shakedown/v1/farm.proto), every field present.";

// A whole number in [low, high], said with the option's name when it is not.
template <typename T, typename Store>
CLI::Option* AddNumber(CLI::App* app, const std::string& name, T low, T high, Store store,
                       const std::string& help) {
  const std::string shown = absl::StartsWith(name, "--") ? name.substr(0, name.find(',')) : name;
  return app
      ->add_option_function<std::string>(
          name,
          [shown, low, high, store](const std::string& text) {
            T value = 0;
            // SimpleAtoi takes surrounding blanks and signs; people's typing errors should not
            // pass.
            const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
            if (!digits || !absl::SimpleAtoi(text, &value) || value < low || value > high) {
              throw CLI::ValidationError(absl::StrCat(
                  shown, " ", Quoted(text), ": want a whole number from ", low, " to ", high));
            }
            store(value);
          },
          help)
      ->type_name("N");
}

// --name VALUE, which may be given many times, one value each time.
CLI::Option* AddMany(CLI::App* app, const std::string& name, std::vector<std::string>& values,
                     const std::string& help, const std::string& type) {
  return app->add_option(name, values, help)->type_name(type)->allow_extra_args(false);
}

// Filled while CLI11 parses; the callback of the command that was chosen moves its part out.
struct Parse {
  Invocation invocation;
  SubmitArgs submit;
  WatchArgs watch;
  ReportArgs report;
  CancelArgs cancel;
  LogsArgs logs;
  ListArgs list;
  JobArgs job;
  BootsArgs boots;
  KernelShowArgs show;
  KernelAddArgs add;
  KernelLintArgs lint;
  CompareArgs compare;
  ReproduceArgs reproduce;
  ChangePointsArgs change_points;
  ParseArgs parse;
};

void AddJob(CLI::App* app, int64_t& job) {
  app->add_option_function<std::string>(
         "JOB",
         [&job](const std::string& text) {
           const bool digits = text.find_first_not_of("0123456789") == text.npos;
           if (!digits || !absl::SimpleAtoi(text, &job) || job < 1) {
             throw CLI::ValidationError(
                 absl::StrCat("job ", Quoted(text), ": want a job's number, e.g. 17"));
           }
         },
         "Number of the job, e.g. 17")
      ->type_name("N")
      ->required();
}

void AddJson(CLI::App* app, bool& json) { app->add_flag("--json", json, "Print JSON"); }

CLI::Option* AddDetect(CLI::App* sub, double& detect) {
  return sub
      ->add_option_function<std::string>(
          "--detect",
          [&detect](const std::string& text) {
            absl::string_view number = text;
            const double unit = absl::ConsumeSuffix(&number, "%") ? 100 : 1;
            if (!absl::SimpleAtod(number, &detect) || !(detect > 0 && detect < unit)) {
              throw CLI::ValidationError(absl::StrCat(
                  "--detect ", Quoted(text), ": want a change above 0% and below 100%, e.g. 3%"));
            }
            detect /= unit;
          },
          "With --dry-run: how many blocks and hours it takes to find a change of so much")
      ->type_name("PERCENT");
}

void AddStopping(CLI::App* sub, StoppingArgs& args) {
  CLI::Option* blocks = AddNumber<uint32_t>(
      sub, "--blocks", 1, 1000, [&args](uint32_t n) { args.blocks = n; },
      "Blocks: each boots every variant once; 1 to 1000, default 2");
  CLI::Option* quick = sub->add_flag("--quick", args.quick, "8 blocks and one look at them");
  sub->add_flag("--looks", args.looks,
                "Looks after 8, 16 and 24 blocks; ends at the first at which all primary metrics "
                "are decided")
      ->excludes(quick)
      ->excludes(blocks);
  quick->excludes(blocks);
  sub->add_option_function<std::string>(
         "--budget",
         [&args](const std::string& text) {
           const absl::StatusOr<uint64_t> span = ParseSpan(text);
           if (!span.ok()) {
             throw CLI::ValidationError(
                 absl::StrCat("--budget: ", std::string(span.status().message())));
           }
           args.budget_s = *span;
         },
         "Wall time from the first boot's start, e.g. 4h; no block begins that would end later")
      ->type_name("TIME");
  AddMany(sub, "--primary", args.primaries,
          "Metric that decides, e.g. make.real; at most 3, once for each; default: make.real and "
          "latt.wakeup.avg",
          "METRIC");
  sub->add_flag("--control", args.control,
                "A once more under another letter: what the job finds between the two is noise");
}

void AddSubmit(CLI::App& app, Parse& parse) {
  SubmitArgs& args = parse.submit;
  CLI::App* sub = app.add_subcommand("submit", "Submit a comparison of kernels")->group("Jobs");
  sub->add_option("JOB", args.file, "Job file (text proto); - is standard input")
      ->type_name("FILE");
  sub->add_option("--baseline", args.baseline, "Variant A")->type_name("VARIANT");
  AddMany(sub, "--challenger", args.challengers, "Variants B, C, …; once for each", "VARIANT");
  AddMany(sub, "--load", args.loads, "Loads in the order of each boot; once for each", "LOAD");
  AddMany(sub, "--setup", args.setup, "Setup steps of each boot, in order; once for each", "STEP");
  AddStopping(sub, args.stopping);
  AddMany(sub, "--background", args.background,
          "What runs beside every load: audio, video or 'command PROGRAM…'; once for each",
          "ACTIVITY");
  sub->add_option("--title", args.title, "What the job is about")->type_name("TEXT");
  AddMany(sub, "--machine", args.machines, "Only on this machine; more: on one of them", "NAME");
  AddMany(sub, "--tag", args.tags, "Only on machines with this tag; more: with all", "TAG");
  AddNumber<uint32_t>(
      sub, "--attempts", 1, 10, [&args](uint32_t n) { args.attempts = n; },
      "How often a boot is tried when the farm fails it; 1 to 10, default 3");
  AddNumber<uint64_t>(
      sub, "--seed", 1, UINT64_MAX, [&args](uint64_t n) { args.seed = n; },
      "Seed of the boot order; default: drawn by the farm and stored");
  CLI::Option* wait =
      sub->add_flag("--wait", args.wait, "Follow the job to its end, then print its report");
  CLI::Option* dry_run = sub->add_flag("--dry-run", args.dry_run, "Print the plan; submit nothing");
  dry_run->excludes(wait);
  AddDetect(sub, args.detect)->needs(dry_run);
  AddJson(sub, args.json);
  sub->footer(kSubmitFooter);
  sub->callback([&parse] { parse.invocation.command = parse.submit; });
}

void AddJobCommands(CLI::App& app, Parse& parse) {
  AddSubmit(app, parse);
  CLI::App* watch = app.add_subcommand("watch", "Follow a job to its end")->group("Jobs");
  AddJob(watch, parse.watch.job);
  watch->footer(
      "On a terminal the job is drawn over and over; into a pipe goes one line for each change.\n"
      "Ctrl-C leaves; the job goes on. Exit codes: 0 no primary metric is worse, 1 one is, 2 the "
      "farm\nfailed, 3 some kernel failed, 4 inconclusive. Below 6 blocks there is no verdict: 0.");
  watch->callback([&parse] { parse.invocation.command = parse.watch; });

  CLI::App* report = app.add_subcommand("report", "Print a job's numbers")->group("Jobs");
  AddJob(report, parse.report.job);
  AddJson(report, parse.report.json);
  report
      ->add_option("--format", parse.report.format,
                   "text, markdown, html, csv or json; default text")
      ->check(CLI::IsMember({"text", "markdown", "html", "csv", "json"}))
      ->type_name("FORMAT");
  report
      ->add_option("--asterisk", parse.report.asterisk,
                   "What * means: default, a verdict; classic, the rule of 2010 (>= 5 % or 5 ms), "
                   "which knows no uncertainty")
      ->check(CLI::IsMember({"default", "classic"}))
      ->type_name("RULE");
  report
      ->add_option("--layout", parse.report.layout,
                   "Text as in the posts: 2009, make and latt side by side, challenger first; "
                   "2010, interbench's grid")
      ->check(CLI::IsMember({"2009", "2010"}))
      ->type_name("YEAR");
  report->add_flag("--baseline-first", parse.report.baseline_first,
                   "With --layout: A first, not the challenger");
  report->add_flag("--all", parse.report.all,
                   "List unchanged metrics and those for information too");
  report->callback([&parse] { parse.invocation.command = parse.report; });

  CLI::App* cancel = app.add_subcommand("cancel", "Cancel a job; what was measured stays");
  cancel->group("Jobs");
  AddJob(cancel, parse.cancel.job);
  cancel->callback([&parse] { parse.invocation.command = parse.cancel; });

  CLI::App* job =
      app.add_subcommand("job", "Show a job as it is: looks, time, blocks, why it waits");
  job->group("Jobs");
  AddJob(job, parse.job.job);
  AddJson(job, parse.job.json);
  job->footer(kListFooter);
  job->callback([&parse] { parse.invocation.command = parse.job; });

  CLI::App* boots = app.add_subcommand("boots", "List a job's boots and their outcomes");
  boots->group("Jobs");
  AddJob(boots, parse.boots.job);
  AddJson(boots, parse.boots.json);
  boots->footer(kListFooter);
  boots->callback([&parse] { parse.invocation.command = parse.boots; });

  CLI::App* logs = app.add_subcommand("logs", "Print the log of a boot or a build")->group("Jobs");
  logs->add_option("NAME", parse.logs.name, "A boot, e.g. 17.1B, or a build's id")->required();
  logs->add_flag("--follow,-f", parse.logs.follow, "Go on with what is still to come");
  logs->add_flag("--raw", parse.logs.raw,
                 "Every byte as it was; without it, nothing that a terminal would obey");
  logs->footer(kLogsFooter);
  logs->callback([&parse] { parse.invocation.command = parse.logs; });

  CLI::App* reproduce =
      app.add_subcommand("reproduce", "Print a shell script that repeats a boot by hand");
  reproduce->group("Jobs");
  reproduce->add_option("BOOT", parse.reproduce.boot, "A boot, e.g. 17.3B or 17.3B.2")->required();
  reproduce->footer(kReproduceFooter);
  reproduce->callback([&parse] { parse.invocation.command = parse.reproduce; });
}

CLI::App* AddList(CLI::App& app, Parse& parse, const std::string& name, ListArgs::What what,
                  const std::string& help, const std::string& group) {
  CLI::App* list = app.add_subcommand(name, help)->group(group);
  AddJson(list, parse.list.json);
  list->footer(kListFooter);
  list->callback([&parse, what] {
    parse.list.what = what;
    parse.invocation.command = parse.list;
  });
  return list;
}

void AddLimit(CLI::App* list, Parse& parse) {
  AddNumber<uint32_t>(
      list, "--limit", 1, 1000, [&parse](uint32_t n) { parse.list.limit = n; },
      "At most so many, the newest; 1 to 1000, default 50");
}

void AddKernelCommands(CLI::App& app, Parse& parse) {
  CLI::App* kernels = AddList(app, parse, "kernels", ListArgs::What::kKernels,
                              "List, show, add and check kernels", "Kernels");
  kernels->require_subcommand(0, 1);
  kernels->footer(absl::StrCat("Without a command: list them.\n", kListFooter));
  // Runs also when one of its commands was chosen: the list only without.
  kernels->callback([&parse, kernels] {
    if (!kernels->get_subcommands().empty()) return;
    parse.list.what = ListArgs::What::kKernels;
    parse.invocation.command = parse.list;
  });

  CLI::App* show = kernels->add_subcommand("show", "Print one catalog entry");
  show->add_option("NAME", parse.show.name, "The kernel")->required();
  AddJson(show, parse.show.json);
  show->callback([&parse] { parse.invocation.command = parse.show; });

  KernelAddArgs& args = parse.add;
  CLI::App* add = kernels->add_subcommand("add", "Add a kernel: another one with changes");
  add->add_option("NAME", args.name, "Name of the new kernel")->required();
  add->add_option("--from", args.from, "The kernel to start from")->required()->type_name("BASE");
  AddMany(add, "--patch", args.patches, "Patch file, at most 8 MiB; once for each", "FILE");
  AddMany(add, "--config", args.options, "Option without CONFIG_; once for each", "OPT=VAL");
  AddNumber<uint32_t>(
      add, "--strip", 0, 10, [&args](uint32_t n) { args.strip = n; },
      "Leading parts of the patches' file names to strip; default 1");
  add->add_option("--description", args.description, "What it is, in a line")->type_name("TEXT");
  add->footer(kAddFooter);
  add->callback([&parse] { parse.invocation.command = parse.add; });

  CLI::App* lint = kernels->add_subcommand("lint", "Check catalog files");
  lint->add_option("FILE", parse.lint.files, "Entries to check (*.txtpb)");
  lint->add_option("--catalog", parse.lint.catalog, "Folder of the catalog")->type_name("DIR");
  lint->add_option("--configs", parse.lint.configs, "Folder of the fragments")->type_name("DIR");
  lint->footer(kLintFooter);
  lint->callback([&parse] { parse.invocation.command = parse.lint; });
}

void AddCompare(CLI::App& app, Parse& parse) {
  CompareArgs& args = parse.compare;
  CLI::App* compare = app.add_subcommand("compare", "Judge two CSV files, without a farm");
  compare->group("Files");
  compare->add_option("BASE", args.base, "CSV file of the baseline")->type_name("FILE")->required();
  compare->add_option("CHALLENGER", args.challenger, "CSV file of the challenger")
      ->type_name("FILE")
      ->required();
  AddMany(compare, "--metric", args.metrics, "What a column is; once for each",
          "NAME:DIR:SCALE:UNIT");
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
  compare->callback([&parse] { parse.invocation.command = parse.compare; });
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
  sub->add_option("FILE", parse.parse.files, "Logs and mails")->type_name("FILE…")->required();
  AddJson(sub, parse.parse.json);
  sub->footer(kParseFooter);
  sub->callback([&parse] { parse.invocation.command = parse.parse; });
}

void AddAll(CLI::App& app, Parse& parse) {
  app.description("Shakedown: boots scheduler kernels on real machines and compares them.");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", kVersion, "Print the version");
  ConnectionFlags& connection = parse.invocation.connection;
  app.add_option("--server", connection.server,
                 "The farm: HOST:PORT, https://HOST:PORT, unix:/PATH")
      ->type_name("ADDRESS");
  app.add_option("--token-file", connection.token_file, "File with your token, mode 0600")
      ->type_name("FILE");
  app.add_option("--tls-ca", connection.tls_ca, "CA certificates (PEM) that prove the farm; TLS")
      ->type_name("FILE");
  AddJobCommands(app, parse);
  AddLimit(AddList(app, parse, "jobs", ListArgs::What::kJobs, "List jobs, newest first", "Farm"),
           parse);
  AddList(app, parse, "agents", ListArgs::What::kAgents, "List agents and what they do", "Farm");
  AddList(app, parse, "machines", ListArgs::What::kMachines, "List machines and their state",
          "Farm");
  AddLimit(
      AddList(app, parse, "builds", ListArgs::What::kBuilds, "List builds, newest first", "Farm"),
      parse);
  AddKernelCommands(app, parse);
  AddCompare(app, parse);
  AddChangePoints(app, parse);
  AddParse(app, parse);
}

// Of the command that was reached, for "see … --help".
std::string Reached(const CLI::App& app) {
  std::string name = "shakedown";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    absl::StrAppend(&name, " ", at->get_name());
  }
  return name;
}

Answer Wrong(const CLI::App& app, absl::string_view what) {
  return {kUsage, absl::StrCat(PrintableLine(what, 400), "; see ", Reached(app), " --help")};
}

std::string HelpOfReached(CLI::App& app) {
  CLI::App* at = &app;
  std::string path = "shakedown";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    if (at->get_subcommands().empty()) break;
    absl::StrAppend(&path, " ", at->get_name());
  }
  return at == &app ? app.help() : at->help(path);
}

}  // namespace

std::variant<Invocation, Answer> ParseArguments(const std::vector<std::string>& arguments) {
  CLI::App app("", "shakedown");
  app.get_formatter()->column_width(30);
  Parse parse;
  AddAll(app, parse);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return Answer{kOk, HelpOfReached(app)};
  } catch (const CLI::CallForVersion& version) {
    return Answer{kOk, absl::StrCat(version.what(), "\n")};
  } catch (const CLI::RequiredError& error) {
    const std::vector<std::string> unknown = app.remaining();
    if (!app.get_subcommands().empty()) return Wrong(app, error.what());
    if (unknown.empty()) return Wrong(app, "want a command");
    return Wrong(app, absl::StrCat("no command ", Quoted(unknown.front())));
  } catch (const CLI::ParseError& error) {
    return Answer{
        kUsage, absl::StrCat(PrintableLine(error.what(), 400), "; see ", Reached(app), " --help")};
  }
  return std::move(parse.invocation);
}

}  // namespace shakedown::cli
