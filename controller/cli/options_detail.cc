// Options of the commands that show what stands behind an overview.
#include "controller/cli/option_kinds.h"

namespace shakedown::cli {
namespace {

constexpr char kExplainFooter[] =
    R"(METRIC is a name as the report has it, or its beginning when only one begins so; 2:make.real is that of the
second load.

Examples:
  shakedown explain 17 make.real
  shakedown explain 17 interbench.x.compile.latency.max C)";

constexpr char kDetailFooter[] =
    "--json prints the proto's JSON (proto/shakedown/v1/detail.proto), every field present.";

}  // namespace

void AddDetailCommands(CLI::App& app, Parse& parse) {
  CLI::App* explain =
      app.add_subcommand("explain", "Show where a verdict comes from, down to the raw values");
  explain->group("Jobs");
  AddJob(explain, parse.explain.job);
  explain->add_option("METRIC", parse.explain.metric, "The metric")->required();
  explain->add_option("VARIANT", parse.explain.variant, "Letter of a challenger; default all");
  explain->footer(kExplainFooter);
  explain->callback([&parse] { parse.invocation.command = parse.explain; });

  CLI::App* boot = app.add_subcommand(
      "boot", "Show one boot: what ran, what was measured, what the machine was");
  boot->group("Jobs");
  boot->add_option("BOOT", parse.boot.boot, "The boot, e.g. 17.3B or 17.3B.2")->required();
  AddJson(boot, parse.boot.json);
  boot->footer(absl::StrCat(kDetailFooter, "\n\nExamples:\n  shakedown boot 17.3B"));
  boot->callback([&parse] { parse.invocation.command = parse.boot; });

  CLI::App* queue = app.add_subcommand(
      "queue", "List active jobs in the order they are served, and why they wait");
  queue->group("Jobs");
  AddNumber<uint32_t>(
      queue, "--limit", 1, 1000, [&parse](uint32_t n) { parse.queue.limit = n; },
      "At most so many; default 100");
  AddJson(queue, parse.queue.json);
  queue->footer(absl::StrCat(kDetailFooter, "\n\nExamples:\n  shakedown queue --limit 10"));
  queue->callback([&parse] { parse.invocation.command = parse.queue; });
}

}  // namespace shakedown::cli
