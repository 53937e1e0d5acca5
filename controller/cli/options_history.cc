// Options of the commands about years of results.
#include "controller/cli/option_kinds.h"

namespace shakedown::cli {
namespace {

constexpr char kHistoryFooter[] =
    R"(A point is a kernel: the median of its boots, with their median absolute deviation. Series are never pooled over
machines, loads or configuration classes, nor over epochs (microcode, firmware, packages … changed). Where one
kernel recurs as the baseline, values are the ratio to it in the same blocks.

A step is marked "watch" above 2.5 %, "alarm" where a verdict would call it large, "environment" where the
recurring baseline itself changed. Only a paired job makes a regression of it: shakedown regressions.

Results of other tools (shakedown import) follow as series of their own, titled "Imported": one a machine, unit and
what the text says beside the number, never pooled with the farm's; the median of the runs of all texts of a kernel,
as measured, with the imports that it is from. Nothing is looked for in them and no regression comes of them.

--csv has a line a point: metric, unit, machine, loads, class, epoch, kernel, version, boots, failed, median, mad,
relative, change (empty: none), imported (0 or 1), runs, imports (their numbers, parted by blanks), source. Imported
points have no class and 0 for epoch, boots and failed; the others 0 for runs and nothing behind it. New columns will
come last. --json prints the proto's JSON (GetHistoryResponse of proto/shakedown/v1/history.proto), every field present.

Examples:
  shakedown history latt.wakeup.avg --machine x1 --since 6.1
  shakedown history interbench.video.compile.deadlines_met --machine p4-ht     # published in 2010
  shakedown history make.real --kernels 'debian-*' --until 6.12 --csv)";

constexpr char kRegressionsFooter[] =
    R"(Without a command: list them, newest first. "show" prints what became of one, and a mail about it: the farm
writes it, a person sends it. Only a confirmed one is called a regression there.

Examples:
  shakedown regressions --open
  shakedown regressions ack 3 --why "bisecting"
  shakedown regressions close 3 --fixed)";

void AddHistory(CLI::App& app, Parse& parse) {
  HistoryArgs& args = parse.history;
  CLI::App* history = app.add_subcommand("history", "Show a metric over kernels")->group("History");
  history->add_option("METRIC", args.metric, "As shakedown series lists them")->required();
  history->add_option("--machine", args.machine, "Only on this one")->type_name("NAME");
  history->add_option("--since", args.since, "From this version or kernel on")->type_name("V");
  history->add_option("--until", args.until, "Up to this version or kernel")->type_name("V");
  AddMany(history, "--kernels", args.kernels, "Only these, with * and ?; once for each", "PATTERN");
  history->add_flag("--absolute", args.absolute, "No ratio to the recurring baseline");
  CLI::Option* json = history->add_flag("--json", args.json, "Print JSON");
  history->add_flag("--csv", args.csv, "Print CSV")->excludes(json);
  history->footer(kHistoryFooter);
  history->callback([&parse] { parse.invocation.command = parse.history; });

  CLI::App* series = app.add_subcommand("series", "List the series there are")->group("History");
  series->add_option("METRIC", parse.series.metric, "Its beginning");
  series->add_option("--machine", parse.series.machine, "Only on this one")->type_name("NAME");
  series->add_flag("--imported", parse.series.imported, "Only those of imported results");
  AddNumber<uint32_t>(
      series, "--limit", 1, 1000, [&parse](uint32_t n) { parse.series.limit = n; },
      "At most so many; 1 to 1000, default 100");
  AddJson(series, parse.series.json);
  series->footer(
      "Examples:\n"
      "  shakedown series latt --machine x1\n"
      "  shakedown series --imported");
  series->callback([&parse] { parse.invocation.command = parse.series; });
}

CLI::App* AddOne(CLI::App* regressions, Parse& parse, const char* name, const char* help,
                 RegressionsArgs::What what) {
  CLI::App* one = regressions->add_subcommand(name, help);
  AddNumber<int64_t>(
      one, "REGRESSION", 1, INT64_MAX, [&parse](int64_t n) { parse.regressions.regression = n; },
      "The regression")
      ->required();
  AddJson(one, parse.regressions.json);
  one->callback([&parse, what] {
    if (parse.regressions.what == RegressionsArgs::What::kList) parse.regressions.what = what;
    parse.invocation.command = parse.regressions;
  });
  return one;
}

void AddWhy(CLI::App* one, Parse& parse, bool required) {
  one->add_option("--why", parse.regressions.why, "For those who come after you")
      ->type_name("TEXT")
      ->required(required);
}

void AddRegressions(CLI::App& app, Parse& parse) {
  using What = RegressionsArgs::What;
  RegressionsArgs& args = parse.regressions;
  CLI::App* all =
      app.add_subcommand("regressions", "List, show and close regressions")->group("History");
  all->require_subcommand(0, 1);
  all->add_flag("--open", args.open, "Only those that nobody has closed or refuted");
  AddNumber<uint32_t>(
      all, "--limit", 1, 1000, [&args](uint32_t n) { args.limit = n; },
      "At most so many, the newest; 1 to 1000, default 50");
  AddJson(all, args.json);
  all->footer(kRegressionsFooter);
  all->callback([&parse, all] {
    if (all->get_subcommands().empty()) parse.invocation.command = parse.regressions;
  });
  AddOne(all, parse, "show", "What became of it, and the mail", What::kShow);
  AddWhy(AddOne(all, parse, "ack", "Somebody looks after it", What::kAcknowledge), parse, true);
  AddWhy(AddOne(all, parse, "reopen", "It is open again", What::kReopen), parse, true);
  CLI::App* close = AddOne(all, parse, "close", "It is done with", What::kWontFix);
  AddWhy(close, parse, false);
  CLI::Option_group* how = close->add_option_group("how");
  how->add_flag_callback(
      "--fixed", [&args] { args.what = What::kFixed; }, "It is fixed");
  how->add_flag_callback(
      "--wont-fix", [&args] { args.what = What::kWontFix; }, "It stays; wants --why");
  how->require_option(1);
}

}  // namespace

void AddHistoryCommands(CLI::App& app, Parse& parse) {
  AddHistory(app, parse);
  AddRegressions(app, parse);
}

}  // namespace shakedown::cli
