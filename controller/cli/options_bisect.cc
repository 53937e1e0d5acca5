// Options of bisect.
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/option_kinds.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr char kFooter[] =
    R"(The ends are measured against each other first; without a change between them there is nothing to search.
Then each step measures one kernel against the good end, in pairs, until it is good, bad or not to be told
apart. A culprit is named at 95% and after it has shown the change against its parent; what does not build
or boot is skipped, what the farm failed counts for nothing. Without --candidate: the kernels of the catalog
whose names differ from good's and bad's in the version alone.
With --git good and bad are commits of that tree; every commit that is measured becomes a kernel
LIKE-gCOMMIT, built with the configuration of --like from the same place on the building host (or --location).
Exit codes of watch and --wait: 0 found, 4 not, 2 the farm does not answer, 130 interrupted.

Examples:
  shakedown bisect --good debian-6.1 --bad debian-6.12 --metric latt.wakeup.avg --load latt --machine x1
  shakedown bisect --git /srv/linux --good v6.11 --bad v6.12 --like debian-6.12 --metric make.real --load make
  shakedown bisect … --dry-run           how many candidates, boots and builds to expect
  shakedown bisect watch 3)";

void AddChange(CLI::App* sub, double& change) {
  sub->add_option_function<std::string>(
         "--min-change",
         [&change](const std::string& text) {
           absl::string_view number = text;
           const double unit = absl::ConsumeSuffix(&number, "%") ? 100 : 1;
           if (!absl::SimpleAtod(number, &change) || !(change > 0 && change < 1e9)) {
             throw CLI::ValidationError(
                 absl::StrCat("--min-change ", Quoted(text), ": want a change above 0, e.g. 5%"));
           }
           change /= unit;
         },
         "What the ends must differ by: 5%, or a number in the metric's unit; default the metric's")
      ->type_name("CHANGE");
}

void AddNumbered(CLI::App* bisect, Parse& parse, const std::string& name, BisectArgs::What what,
                 const std::string& help) {
  CLI::App* sub = bisect->add_subcommand(name, help);
  AddNumber<int64_t>(
      sub, "BISECT", 1, int64_t{1} << 62, [&parse](int64_t n) { parse.bisect.number = n; },
      "Number of the bisect")
      ->required();
  if (what != BisectArgs::What::kWatch) AddJson(sub, parse.bisect.json);
  sub->callback([&parse, what] {
    parse.bisect.what = what;
    parse.invocation.command = parse.bisect;
  });
}

}  // namespace

void AddBisectCommands(CLI::App& app, Parse& parse) {
  BisectArgs& args = parse.bisect;
  CLI::App* bisect =
      app.add_subcommand("bisect", "Find the kernel or commit that changed a metric");
  bisect->group("Jobs")->require_subcommand(0, 1);
  bisect->add_option("--good", args.good, "The kernel before the change")->type_name("KERNEL");
  bisect->add_option("--bad", args.bad, "The kernel that has it")->type_name("KERNEL");
  bisect->add_option("--metric", args.metric, "What changed, e.g. latt.wakeup.avg")
      ->type_name("METRIC");
  AddMany(bisect, "--load", args.loads, "As in submit; once for each", "LOAD");
  AddMany(bisect, "--machine", args.machines, "Run on this machine; many: on any of them", "NAME");
  AddMany(bisect, "--tag", args.tags, "Run on machines with this tag", "TAG");
  AddMany(bisect, "--setup", args.setup, "As in submit", "STEP");
  AddMany(bisect, "--background", args.background, "As in submit", "ACTIVITY");
  AddMany(bisect, "--candidate", args.candidates, "A kernel, from good to bad; once for each",
          "KERNEL");
  bisect->add_option("--git", args.git, "Search the commits of this tree")->type_name("PATH");
  bisect->add_option("--like", args.like, "With --git: whose configuration they get")
      ->type_name("KERNEL");
  bisect->add_option("--location", args.location, "With --git: the tree on the building host")
      ->type_name("PATH|URL");
  bisect->add_flag("--merges", args.merges,
                   "With --git: also the commits of merged branches, not the first parents alone");
  AddChange(bisect, args.min_change);
  AddNumber<uint32_t>(
      bisect, "--max-boots", 1, 100000, [&args](uint32_t n) { args.max_boots = n; },
      "Give up after so many; default 2000");
  AddNumber<uint32_t>(
      bisect, "--attempts", 1, 10, [&args](uint32_t n) { args.attempts = n; },
      "Tries of a boot that the farm fails; default 3");
  AddNumber<int64_t>(
      bisect, "--regression", 1, int64_t{1} << 62, [&args](int64_t n) { args.regression = n; },
      "What it is for; alone: search that");
  bisect->add_flag("--dry-run", args.dry_run, "Say what it will take, begin nothing");
  bisect->add_flag("--wait", args.wait, "Follow it to its end");
  AddJson(bisect, args.json);
  bisect->footer(kFooter);
  // Runs also when one of its commands was chosen.
  bisect->callback([&parse, bisect] {
    if (bisect->get_subcommands().empty()) parse.invocation.command = parse.bisect;
  });
  AddNumbered(bisect, parse, "watch", BisectArgs::What::kWatch, "Follow one to its end");
  AddNumbered(bisect, parse, "show", BisectArgs::What::kShow, "Print one with its steps");
  AddNumbered(bisect, parse, "cancel", BisectArgs::What::kCancel, "End one and its running job");
  CLI::App* list = bisect->add_subcommand("list", "List them, newest first");
  AddNumber<uint32_t>(
      list, "--limit", 1, 1000, [&args](uint32_t n) { args.limit = n; },
      "At most so many, the newest; 1 to 1000, default 50");
  AddNumber<int64_t>(
      list, "--before", 1, INT64_MAX, [&args](int64_t id) { args.before = id; },
      "Only those older than this one");
  AddJson(list, args.json);
  list->callback([&parse] {
    parse.bisect.what = BisectArgs::What::kList;
    parse.invocation.command = parse.bisect;
  });
}

}  // namespace shakedown::cli
