#include "controller/cli/options.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/completion.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/man_page.h"
#include "controller/cli/option_kinds.h"
#include "controller/cli/suggestion.h"
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

Where a job is wanted, @last is the newest one, and @last.3B its boot.

The farm: --server and --token-file, else SHAKEDOWN_SERVER and SHAKEDOWN_TOKEN_FILE, else a context of
~/.config/shakedown/config.txtpb: that of --context or SHAKEDOWN_CONTEXT, else the current one. `shakedown
contexts` lists and changes them; deploy/quickstart adds its own.

Exit codes of watch and submit --wait: 0 no primary metric is worse; 1 one is; 2 the farm failed or does
not answer; 3 some kernel failed; 4 inconclusive, or cancelled; 64 wrong usage or something unknown asked
for; 66 a file that was named can not be read; 74 the output can not be written; 130 interrupted. Of the
others: 0 done; 1 anything that is not one of these. A job of fewer than 6 blocks has no verdict: 0 when all
was measured.)";

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
  app.add_option("--context", connection.context, "The farm of this name in config.txtpb")
      ->type_name("NAME");
  app.add_option("--server", connection.server,
                 "The farm: HOST:PORT, https://HOST:PORT, unix:/PATH")
      ->type_name("ADDRESS");
  app.add_option("--token-file", connection.token_file, "File with your token, mode 0600")
      ->type_name("FILE");
  app.add_option("--tls-ca", connection.tls_ca, "CA certificates (PEM) that prove the farm; TLS")
      ->type_name("FILE");
  AddJobCommands(app, parse);
  AddBisectCommands(app, parse);
  AddLimit(AddList(app, parse, "jobs", ListArgs::What::kJobs, "List jobs, newest first", "Farm")
               ->footer(absl::StrCat(kListFooter, "\n\nExamples:\n  shakedown jobs --limit 10")),
           parse);
  AddList(app, parse, "agents", ListArgs::What::kAgents, "List agents and what they do", "Farm")
      ->footer(absl::StrCat(kListFooter, "\n\nExamples:\n  shakedown agents"));
  AddHistoryCommands(app, parse);
  AddLimit(AddMachineCommands(app, parse), parse);
  AddCatalogCommands(app, parse);
  AddDetailCommands(app, parse);
  AddNotifyCommands(app, parse);
  AddFileCommands(app, parse);
  AddShellCommands(app, parse);
  AddImportCommands(app, parse);
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

// The command that was reached, e.g. `add` of `shakedown kernels add`.
const CLI::App& ReachedCommand(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

Answer NoCommand(const CLI::App& app, const CLI::App& reached, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : reached.get_subcommands(nullptr)) {
    if (!command->get_name().empty() && !command->get_group().empty())
      known.push_back(command->get_name());
  }
  return Wrong(app, absl::StrCat("no command ", Quoted(word), DidYouMean(word, known)));
}

Answer NoOption(const CLI::App& app, const CLI::App& reached, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* at = &reached; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const std::string name = word.substr(0, word.find('='));
  if (std::find(known.begin(), known.end(), name) != known.end())
    return Wrong(app, absl::StrCat(Quoted(name), " goes behind ", Reached(app)));
  return Wrong(app, absl::StrCat("no option ", Quoted(name), DidYouMean(name, known)));
}

// Of the first word that nothing takes.
Answer NotExpected(const CLI::App& app, const std::string& word) {
  const CLI::App& reached = ReachedCommand(app);
  if (absl::StartsWith(word, "-")) return NoOption(app, reached, word);
  if (!reached.get_subcommands(nullptr).empty()) return NoCommand(app, reached, word);
  return Wrong(app, absl::StrCat(Quoted(word), " was not expected"));
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

Offer OfferForArguments(const std::vector<std::string>& words) {
  CLI::App app("", "shakedown");
  Parse parse;
  AddAll(app, parse);
  return OfferFor(app, words);
}

std::variant<Invocation, Answer> ParseArguments(std::vector<std::string> arguments) {
  // "help submit", as some programs have it, is "submit --help".
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  CLI::App app("", "shakedown");
  app.get_formatter()->column_width(30);
  Parse parse;
  AddAll(app, parse);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    const std::vector<std::string> unknown = app.remaining();
    if (app.get_subcommands().empty() && !unknown.empty()) return NotExpected(app, unknown.front());
    return Answer{kOk, HelpOfReached(app)};
  } catch (const CLI::CallForVersion& version) {
    return Answer{kOk, absl::StrCat(version.what(), "\n")};
  } catch (const CLI::RequiredError& error) {
    const std::vector<std::string> unknown = app.remaining();
    if (!app.get_subcommands().empty()) return Wrong(app, error.what());
    if (unknown.empty()) return Wrong(app, "want a command");
    return NotExpected(app, unknown.front());
  } catch (const CLI::ExtrasError& error) {
    const std::vector<std::string> unknown = app.remaining(true);
    return unknown.empty() ? Wrong(app, error.what()) : NotExpected(app, unknown.front());
  } catch (const CLI::ParseError& error) {
    return Wrong(app, error.what());
  }
  if (!parse.shell.empty()) {
    const absl::StatusOr<std::string> script = CompletionScript(parse.shell);
    return script.ok() ? Answer{kOk, *script}
                       : Answer{kUsage, std::string(script.status().message())};
  }
  if (parse.man) return Answer{kOk, ManPage(app, kVersion)};
  return std::move(parse.invocation);
}

}  // namespace shakedown::cli
