// Options of the commands about jobs and boots.
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/option_kinds.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

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
      "Blocks: each boots every variant once; 1 to 1000, default 2, with --tag laptop 8");
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
  sub->add_option("FILE", args.file, "Job file (text proto); - is standard input")
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

}  // namespace

void AddJobCommands(CLI::App& app, Parse& parse) {
  AddSubmit(app, parse);
  CLI::App* watch = app.add_subcommand("watch", "Follow a job to its end")->group("Jobs");
  AddJob(watch, parse.watch.job);
  watch->add_flag("--compact", parse.watch.compact, "Draw in a few lines");
  watch->add_flag("--fail-fast", parse.watch.fail_fast,
                  "Leave with 3 at the first boot or build that its kernel fails; the job goes on");
  watch->footer(
      "On a terminal the job is drawn over and over; into a pipe goes one line for each change.\n"
      "Ctrl-C leaves; the job goes on. Exit codes: 0 no primary metric is worse, 1 one is, 2 the "
      "farm\nfailed, 3 some kernel failed, 4 inconclusive. Below 6 blocks there is no verdict: "
      "0.\n\n"
      "Examples:\n"
      "  shakedown watch 17\n"
      "  shakedown watch @last --compact --fail-fast");
  watch->callback([&parse] { parse.invocation.command = parse.watch; });

  CLI::App* report = app.add_subcommand("report", "Print a job's numbers")->group("Jobs");
  AddJob(report, parse.report.job);
  AddJson(report, parse.report.json);
  AddChoice(
      report, "--format", {"text", "markdown", "html", "csv", "json"},
      [&parse](const std::string& format) { parse.report.format = format; }, "Default text");
  AddChoice(
      report, "--asterisk", {"default", "classic"},
      [&parse](const std::string& rule) { parse.report.asterisk = rule; },
      "What * means: default, a verdict; classic, the rule of 2010 (>= 5 % or 5 ms), which knows "
      "no uncertainty");
  AddChoice(
      report, "--layout", {"2009", "2010"},
      [&parse](const std::string& year) { parse.report.layout = year; },
      "Text as in the posts: 2009, make and latt side by side, challenger first; 2010, "
      "interbench's grid");
  report->add_flag("--baseline-first", parse.report.baseline_first,
                   "With --layout: A first, not the challenger");
  report->add_flag("--all", parse.report.all,
                   "List unchanged metrics and those for information too");
  report->footer(
      "Examples:\n"
      "  shakedown report 17\n"
      "  shakedown report @last --format html > report.html");
  report->callback([&parse] { parse.invocation.command = parse.report; });

  CLI::App* cancel = app.add_subcommand("cancel", "Cancel a job; what was measured stays");
  cancel->group("Jobs");
  AddJob(cancel, parse.cancel.job);
  cancel->footer("Examples:\n  shakedown cancel 17");
  cancel->callback([&parse] { parse.invocation.command = parse.cancel; });

  CLI::App* job =
      app.add_subcommand("job", "Show a job as it is: looks, time, blocks, why it waits");
  job->group("Jobs");
  AddJob(job, parse.job.job);
  AddJson(job, parse.job.json);
  job->footer(absl::StrCat(kListFooter, "\n\nExamples:\n  shakedown job @last"));
  job->callback([&parse] { parse.invocation.command = parse.job; });

  CLI::App* boots = app.add_subcommand("boots", "List a job's boots and their outcomes");
  boots->group("Jobs");
  AddJob(boots, parse.boots.job);
  AddJson(boots, parse.boots.json);
  boots->footer(absl::StrCat(kListFooter, "\n\nExamples:\n  shakedown boots 17"));
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

}  // namespace shakedown::cli
