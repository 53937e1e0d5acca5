#include "controller/cli/options.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/option_kinds.h"
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

void AddLimit(CLI::App* list, Parse& parse) {
  AddNumber<uint32_t>(
      list, "--limit", 1, 1000, [&parse](uint32_t n) { parse.list.limit = n; },
      "At most so many, the newest; 1 to 1000, default 50");
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
  AddLimit(AddMachineCommands(app, parse), parse);
  AddCatalogCommands(app, parse);
  AddFileCommands(app, parse);
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
