// Options of the commands about kernels and inputs.
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "controller/cli/option_kinds.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr char kAddFooter[] =
    R"(Patches are applied in the order given, after those of the base; options are set after the base's and win.

Examples:
  shakedown kernels add 6.12-mine --from debian-6.12-hz1000 --patch 0001-mine.patch --config SCHED_MINE=y
  shakedown kernels add 6.12-hz300 --from debian-6.12 --config HZ_300=y --config HZ_1000=n)";

constexpr char kInputFooter[] =
    R"(The one folder that holds all the rest, as in tarballs of kernels, is the tree itself. At most 2 GiB, 6 GiB
unpacked. A job is pinned to the content that the name stands for; the same file again is fine.

Examples:
  shakedown inputs add linux-6.12 linux-6.12.tar.xz
  and in a job file: loads { make { tree: "linux-6.12" config_target: "allnoconfig" } })";

constexpr char kLintFooter[] =
    R"(Without FILE: the whole catalog in kernels/catalog with the fragments in kernels/configs of the folder you
are in. Needs no farm. Exit code 1 when something is wrong.)";

void AddKernelCommands(CLI::App& app, Parse& parse) {
  CLI::App* kernels = AddList(app, parse, "kernels", ListArgs::What::kKernels,
                              "List, show, add and check kernels", "Kernels");
  kernels->require_subcommand(0, 1);
  kernels->footer(absl::StrCat("Without a command: list them.\n", kListFooter,
                               "\n\nExamples:\n"
                               "  shakedown kernels\n"
                               "  shakedown kernels show debian-6.12"));
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

  CLI::App* remove = kernels->add_subcommand("remove", "Remove a kernel that somebody added");
  remove->add_option("NAME", parse.remove.name, "The kernel")->required();
  remove->footer("What was built of it and measured with it stays.");
  remove->callback([&parse] { parse.invocation.command = parse.remove; });

  CLI::App* lint = kernels->add_subcommand("lint", "Check catalog files");
  lint->add_option("FILE", parse.lint.files, "Entries to check (*.txtpb)");
  lint->add_option("--catalog", parse.lint.catalog, "Folder of the catalog")->type_name("DIR");
  lint->add_option("--configs", parse.lint.configs, "Folder of the fragments")->type_name("DIR");
  lint->footer(kLintFooter);
  lint->callback([&parse] { parse.invocation.command = parse.lint; });
}

void AddInputCommands(CLI::App& app, Parse& parse) {
  CLI::App* inputs = app.add_subcommand("inputs", "List and add trees that loads build");
  inputs->group("Farm")->require_subcommand(0, 1);
  AddJson(inputs, parse.inputs.json);
  inputs->footer(absl::StrCat("Without a command: list them.\n", kListFooter,
                              "\n\nExamples:\n"
                              "  shakedown inputs\n"
                              "  shakedown inputs add linux-6.12 linux-6.12.tar.xz"));
  inputs->callback([&parse, inputs] {
    if (inputs->get_subcommands().empty()) parse.invocation.command = parse.inputs;
  });
  CLI::App* list = inputs->add_subcommand("list", "List them");
  AddJson(list, parse.inputs.json);
  list->callback([&parse] { parse.invocation.command = parse.inputs; });

  CLI::App* add = inputs->add_subcommand("add", "Give a tar archive a name, for good");
  add->add_option("NAME", parse.input.name, "Name of the tree, e.g. linux-6.12")->required();
  add->add_option("FILE", parse.input.file, "The archive: .tar, .tar.gz, .tar.xz, .tar.zst")
      ->required()
      ->type_name("FILE");
  add->footer(kInputFooter);
  add->callback([&parse] { parse.invocation.command = parse.input; });
}

}  // namespace

void AddCatalogCommands(CLI::App& app, Parse& parse) {
  AddKernelCommands(app, parse);
  AddInputCommands(app, parse);
}

}  // namespace shakedown::cli
