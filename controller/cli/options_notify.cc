// Options of notify and export.
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "controller/cli/option_kinds.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr char kNotifyFooter[] =
    R"(Events: job_end, regression_confirmed, machine_sick. Without --filter you are told of your own jobs, and of
every regression and machine you asked for. A filter is terms that must all hold, each with patterns parted
by commas: machine=x1 kernel=debian-*,mine verdict=worse metric=latt.* outcome=done by=NAME; by=* is anybody's.
A webhook gets JSON (proto/shakedown/v1/notify.proto tells its shape) with X-Shakedown-Timestamp and
X-Shakedown-Signature: "v1=" and the HMAC-SHA256 of TIMESTAMP.BODY in hex, by your secret. What can not be
delivered is tried again for a day.

Examples:
  shakedown notify add phone --event job_end --webhook https://example.org/hook --secret-file ~/hook.secret
  shakedown notify add mail --event regression_confirmed --email ada@example.org --filter machine=x1
  shakedown notify test phone)";

constexpr char kExportFooter[] =
    R"(json: an object a line, "type" says what it is (job, boot, measurement). csv: a row a measurement, and one for
each boot without any. kcidb: an object a job, by KCIDB's schema 4.1. Without --job: every job that has ended
in that time. The order is always that of the jobs' numbers and of each job's plan.

Examples:
  shakedown export --format csv --job 17 --job 18 > results.csv
  shakedown export --format json --since 2026-11-01 | jq 'select(.type == "boot" and .outcome == "panicked")'
  shakedown export --format kcidb --since 2026-11-29 | kcidb-submit …)";

void AddTime(CLI::App* sub, const std::string& name, std::optional<int64_t>& seconds,
             const std::string& help) {
  sub->add_option_function<std::string>(
         name,
         [name, &seconds](const std::string& text) {
           absl::Time time;
           std::string error;
           if (!absl::ParseTime("%Y-%m-%d", text, absl::LocalTimeZone(), &time, &error) &&
               !absl::ParseTime("%Y-%m-%d %H:%M", text, absl::LocalTimeZone(), &time, &error) &&
               !absl::ParseTime(absl::RFC3339_sec, text, &time, &error)) {
             throw CLI::ValidationError(
                 absl::StrCat(name, " ", Quoted(text),
                              ": want 2026-11-30, \"2026-11-30 13:40\" or 2026-11-30T13:40:00Z"));
           }
           seconds = absl::ToUnixSeconds(time);
         },
         help)
      ->type_name("TIME");
}

CLI::App* AddNamed(CLI::App* notify, Parse& parse, const std::string& name, NotifyArgs::What what,
                   const std::string& help) {
  CLI::App* sub = notify->add_subcommand(name, help);
  sub->add_option("NAME", parse.notify.name, "The subscription")->required();
  sub->callback([&parse, what] {
    parse.notify.what = what;
    parse.invocation.command = parse.notify;
  });
  return sub;
}

}  // namespace

void AddNotifyCommands(CLI::App& app, Parse& parse) {
  NotifyArgs& args = parse.notify;
  CLI::App* notify = app.add_subcommand("notify", "Be told what happens, by webhook or mail");
  notify->group("Farm")->require_subcommand(1);
  notify->footer(kNotifyFooter);
  CLI::App* add = AddNamed(notify, parse, "add", NotifyArgs::What::kAdd,
                           "Subscribe; the same name again replaces");
  AddMany(add, "--event", args.events, "What to tell; once for each", "EVENT")->required();
  CLI::Option* webhook =
      add->add_option("--webhook", args.webhook, "POST it to this https address")->type_name("URL");
  add->add_option("--email", args.email, "Mail it to this address")
      ->type_name("ADDRESS")
      ->excludes(webhook);
  AddMany(add, "--filter", args.filter, "Only what fits: WORD=PATTERN,…; once for each", "TERM");
  add->add_option("--secret-file", args.secret_file,
                  "With --webhook: file with the secret that signs, 16 to 256 bytes")
      ->type_name("FILE");
  add->footer(kNotifyFooter);
  AddNamed(notify, parse, "remove", NotifyArgs::What::kRemove, "End one, with what waits for it");
  AddNamed(notify, parse, "test", NotifyArgs::What::kTest, "Send one event to it");
  CLI::App* list = notify->add_subcommand("list", "What you are told, and how that went");
  AddJson(list, args.json);
  list->callback([&parse] {
    parse.notify.what = NotifyArgs::What::kList;
    parse.invocation.command = parse.notify;
  });

  ExportArgs& out = parse.exported;
  CLI::App* exported = app.add_subcommand("export", "Results for other programs");
  exported->group("Jobs");
  AddChoice(
      exported, "--format", {"json", "csv", "kcidb"},
      [&out](const std::string& format) { out.format = format; }, "How it is written")
      ->required();
  exported
      ->add_option_function<std::vector<int64_t>>(
          "--job", [&out](const std::vector<int64_t>& jobs) { out.jobs = jobs; },
          "This job; once for each")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  AddTime(exported, "--since", out.since, "Jobs that ended at this time or later");
  AddTime(exported, "--until", out.until, "Jobs that ended before this time");
  exported->add_flag("--imports", out.imports, "Imported results too");
  exported->footer(kExportFooter);
  exported->callback([&parse] { parse.invocation.command = parse.exported; });
}

}  // namespace shakedown::cli
