// Options of the commands about the command itself: contexts, completion, the manual.
#include "controller/cli/option_kinds.h"

namespace shakedown::cli {
namespace {

constexpr char kContextsFooter[] =
    R"(Without a command: list them; * is the current one.

Examples:
  shakedown contexts set office --server https://farm.example:7117 --token-file ~/.config/shakedown/office.token
  shakedown contexts use office
  shakedown --context home jobs)";

constexpr char kCompletionFooter[] =
    R"(Names of jobs, kernels and machines come from the farm as it is.

Examples:
  source <(shakedown completion bash)       in ~/.bashrc
  source <(shakedown completion zsh)        in ~/.zshrc, after compinit
  shakedown completion fish > ~/.config/fish/completions/shakedown.fish)";

void AddContexts(CLI::App& app, Parse& parse) {
  ContextsArgs& args = parse.contexts;
  CLI::App* contexts =
      app.add_subcommand("contexts", "List and choose the farms this command knows");
  contexts->group("This command")->require_subcommand(0, 1);
  AddJson(contexts, args.json);
  contexts->footer(kContextsFooter);
  contexts->callback([&parse, contexts] {
    if (contexts->get_subcommands().empty()) parse.invocation.command = parse.contexts;
  });
  const auto add = [&](const char* name, const char* help, ContextsArgs::What what) {
    CLI::App* sub = contexts->add_subcommand(name, help);
    sub->add_option("CONTEXT", args.name, "Its name")->required();
    sub->callback([&parse, what] {
      parse.contexts.what = what;
      parse.invocation.command = parse.contexts;
    });
    return sub;
  };
  add("use", "Make one the current one", ContextsArgs::What::kUse);
  add("remove", "Forget one; its token file stays", ContextsArgs::What::kRemove);
  CLI::App* set = add("set", "Add one, or replace it", ContextsArgs::What::kSet);
  // Its own, not those that say which farm to call.
  set->fallthrough(false);
  set->add_option("--server", args.server, "HOST:PORT, https://HOST:PORT, unix:/PATH")
      ->required()
      ->type_name("ADDRESS");
  set->add_option("--token-file", args.token_file, "File with your token, mode 0600")
      ->required()
      ->type_name("FILE");
  set->add_option("--tls-ca", args.tls_ca, "CA certificates (PEM) that prove the farm")
      ->type_name("FILE");
  set->add_flag("--use", args.use, "Make it the current one");
}

}  // namespace

void AddShellCommands(CLI::App& app, Parse& parse) {
  AddContexts(app, parse);

  CLI::App* doctor = app.add_subcommand(
      "doctor", "Look at this host and the farm, and say how to mend what is wrong");
  doctor->group("This command");
  doctor
      ->add_option("--state", parse.doctor.state,
                   "Where the farm keeps its files; default /var/lib/shakedown")
      ->type_name("DIR");
  AddJson(doctor, parse.doctor.json);
  doctor->footer(
      "Changes nothing. Exit code 1 when something will not work.\n\n"
      "Examples:\n"
      "  shakedown doctor\n"
      "  shakedown doctor --state /srv/shakedown --json");
  doctor->callback([&parse] { parse.invocation.command = parse.doctor; });

  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes commands in your shell");
  completion->group("This command");
  completion->add_option("SHELL", parse.shell, "bash, zsh or fish")->required();
  completion->footer(kCompletionFooter);

  CLI::App* man = app.add_subcommand("man", "Print the manual page: shakedown man | man -l -");
  man->group("This command");
  man->footer("Examples:\n  shakedown man | man -l -");
  man->callback([&parse] { parse.man = true; });

  // For the scripts of `completion` alone.
  CLI::App* complete = app.add_subcommand("complete", "Print what the last word may become");
  complete->group("");
  complete->add_option("WORD", parse.complete.words, "What was typed");
  complete->callback([&parse] { parse.invocation.command = parse.complete; });
}

}  // namespace shakedown::cli
