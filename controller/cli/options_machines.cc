// Options of the commands about machines, builds and keys.
#include "absl/strings/str_cat.h"
#include "controller/cli/option_kinds.h"

namespace shakedown::cli {
namespace {

constexpr char kMachinesFooter[] =
    R"(Without a command: list them. A machine that needs hands was away for a boot and did not come back: DETAIL
says what to press. It reports by itself when it is up again.

Examples:
  shakedown machines hold x1 --reason "on the road until Monday"
  shakedown machines release x1)";

constexpr char kKeysFooter[] =
    R"(The public key goes to laptops' owners, who write it into their owner's file; whoever has the secret one
can have kernels booted there.

Examples:
  shakedown keys new --out ~/.config/shakedown/kernel.key
  shakedown builds sign debian-6.12 --key ~/.config/shakedown/kernel.key
  shakedown-controller serve … --kernel-key FILE     signs every build of the farm)";

// A list that has commands of its own: it runs also when one of them was chosen, and lists only
// without.
CLI::App* AddListWithCommands(CLI::App& app, Parse& parse, const std::string& name,
                              ListArgs::What what, const std::string& help) {
  CLI::App* list = AddList(app, parse, name, what, help, "Farm");
  list->require_subcommand(0, 1);
  list->callback([&parse, list, what] {
    if (!list->get_subcommands().empty()) return;
    parse.list.what = what;
    parse.invocation.command = parse.list;
  });
  return list;
}

void AddWish(CLI::App* machines, Parse& parse, const std::string& name,
             v1::SetMachineRequest::Wish wish, bool reason, const std::string& help) {
  CLI::App* sub = machines->add_subcommand(name, help);
  sub->add_option("MACHINE", parse.machine.name, "The machine")->required();
  if (reason) {
    sub->add_option("--reason", parse.machine.reason, "For the others who look, at most 200 bytes")
        ->type_name("TEXT");
  }
  sub->callback([&parse, wish] {
    parse.machine.wish = wish;
    parse.invocation.command = parse.machine;
  });
}

void AddMachines(CLI::App& app, Parse& parse) {
  CLI::App* machines = AddListWithCommands(
      app, parse, "machines", ListArgs::What::kMachines,
      "List machines and their state; hold, release, drain them, cycle their power");
  machines->footer(absl::StrCat(kMachinesFooter, "\n\n", kListFooter));
  AddWish(machines, parse, "hold", v1::SetMachineRequest::WISH_HOLD, true,
          "Give it no more orders; what it has is finished");
  AddWish(machines, parse, "release", v1::SetMachineRequest::WISH_RELEASE, false,
          "Take a hold or drain back");
  AddWish(machines, parse, "drain", v1::SetMachineRequest::WISH_DRAIN, true,
          "Hold it, and give what is queued for it to others");
  AddWish(machines, parse, "power", v1::SetMachineRequest::WISH_POWER_CYCLE, true,
          "Switch its power off and on, by the agent that can");
}

}  // namespace

CLI::App* AddMachineCommands(CLI::App& app, Parse& parse) {
  AddMachines(app, parse);
  CLI::App* builds = AddListWithCommands(app, parse, "builds", ListArgs::What::kBuilds,
                                         "List builds, newest first; sign them");
  builds->footer(absl::StrCat(kListFooter,
                              "\n\nExamples:\n"
                              "  shakedown builds --limit 10\n"
                              "  shakedown builds sign debian-6.12 --key kernel.key"));
  CLI::App* sign =
      builds->add_subcommand("sign", "Vouch for a build: laptops' owners may want that");
  sign->add_option("BUILD", parse.sign.what,
                   "Its id or at least 8 digits of it, or its kernel: the newest")
      ->required();
  sign->add_option("--key", parse.sign.key_file, "Secret key, mode 0600; see shakedown keys new")
      ->required()
      ->type_name("FILE");
  sign->callback([&parse] { parse.invocation.command = parse.sign; });

  CLI::App* keys = app.add_subcommand("keys", "Make keys that sign builds")->group("Kernels");
  keys->require_subcommand(1);
  keys->footer(kKeysFooter);
  CLI::App* make = keys->add_subcommand("new", "Make one, and print its public half");
  make->add_option("--out", parse.key.out, "New file for the secret key, mode 0600")
      ->required()
      ->type_name("FILE");
  make->callback([&parse] { parse.invocation.command = parse.key; });
  return builds;
}

}  // namespace shakedown::cli
