// What the files of options share: the kinds of options, and where CLI11 puts what it read. CLI11's
// headers are slow to compile: only options*.cc include this.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/options.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {

// A whole number in [low, high], said with the option's name when it is not.
template <typename T, typename Store>
CLI::Option* AddNumber(CLI::App* app, const std::string& name, T low, T high, Store store,
                       const std::string& help) {
  const std::string shown = absl::StartsWith(name, "--") ? name.substr(0, name.find(',')) : name;
  return app
      ->add_option_function<std::string>(
          name,
          [shown, low, high, store](const std::string& text) {
            T value = 0;
            // SimpleAtoi takes surrounding blanks and signs; people's typing errors should not
            // pass.
            const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
            if (!digits || !absl::SimpleAtoi(text, &value) || value < low || value > high) {
              throw CLI::ValidationError(absl::StrCat(
                  shown, " ", Quoted(text), ": want a whole number from ", low, " to ", high));
            }
            store(value);
          },
          help)
      ->type_name("N");
}

// --name VALUE, which may be given many times, one value each time.
inline CLI::Option* AddMany(CLI::App* app, const std::string& name,
                            std::vector<std::string>& values, const std::string& help,
                            const std::string& type) {
  return app->add_option(name, values, help)->type_name(type)->allow_extra_args(false);
}

inline void AddJson(CLI::App* app, bool& json) { app->add_flag("--json", json, "Print JSON"); }

// Filled while CLI11 parses; the callback of the command that was chosen moves its part out.
struct Parse {
  Invocation invocation;
  SubmitArgs submit;
  WatchArgs watch;
  ReportArgs report;
  CancelArgs cancel;
  LogsArgs logs;
  ListArgs list;
  JobArgs job;
  BootsArgs boots;
  KernelShowArgs show;
  KernelAddArgs add;
  KernelRemoveArgs remove;
  KernelLintArgs lint;
  InputAddArgs input;
  InputListArgs inputs;
  CompareArgs compare;
  ReproduceArgs reproduce;
  ChangePointsArgs change_points;
  ParseArgs parse;
  MachineSetArgs machine;
  BuildSignArgs sign;
  KeyNewArgs key;
};

inline constexpr char kListFooter[] =
    "--json prints the proto's JSON (proto/shakedown/v1/farm.proto), every field present.";

inline CLI::App* AddList(CLI::App& app, Parse& parse, const std::string& name, ListArgs::What what,
                         const std::string& help, const std::string& group) {
  CLI::App* list = app.add_subcommand(name, help)->group(group);
  AddJson(list, parse.list.json);
  list->footer(kListFooter);
  list->callback([&parse, what] {
    parse.list.what = what;
    parse.invocation.command = parse.list;
  });
  return list;
}

// The commands about jobs and boots; about kernels and inputs; about machines, builds (returned)
// and keys; those that need files and no farm.
void AddJobCommands(CLI::App& app, Parse& parse);
void AddCatalogCommands(CLI::App& app, Parse& parse);
CLI::App* AddMachineCommands(CLI::App& app, Parse& parse);
void AddFileCommands(CLI::App& app, Parse& parse);

}  // namespace shakedown::cli
