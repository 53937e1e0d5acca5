// What the files of options share: the kinds of options, and where CLI11 puts what it read. CLI11's
// headers are slow to compile: only options*.cc include this.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/cli/options.h"
#include "controller/cli/suggestion.h"
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

// --name VALUE, one of `known` (at least two); --help and completion show them all.
template <typename Store>
CLI::Option* AddChoice(CLI::App* app, const std::string& name, std::vector<std::string> known,
                       Store store, const std::string& help) {
  const std::string shown = absl::StrJoin(known, "|");
  return app
      ->add_option_function<std::string>(
          name,
          [name, known = std::move(known), store](const std::string& text) {
            if (std::find(known.begin(), known.end(), text) == known.end()) {
              const std::string but_last =
                  absl::StrJoin(known.begin(), std::prev(known.end()), ", ");
              throw CLI::ValidationError(absl::StrCat(name, " ", Quoted(text), ": want ", but_last,
                                                      " or ", known.back(),
                                                      DidYouMean(text, known)));
            }
            store(text);
          },
          help)
      ->type_name(shown);
}

inline void AddJob(CLI::App* app, int64_t& job) {
  app->add_option_function<std::string>(
         "JOB",
         [&job](const std::string& text) {
           if (text == kLast) {
             job = kLastJob;
             return;
           }
           const bool digits = text.find_first_not_of("0123456789") == text.npos;
           if (!digits || !absl::SimpleAtoi(text, &job) || job < 1) {
             throw CLI::ValidationError(
                 absl::StrCat("job ", Quoted(text), ": want a job's number, e.g. 17, or @last"));
           }
         },
         "Number of the job, e.g. 17")
      ->type_name("N")
      ->required();
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
  ExplainArgs explain;
  BootArgs boot;
  QueueArgs queue;
  ContextsArgs contexts;
  CompleteArgs complete;
  DoctorArgs doctor;
  std::string shell;  // Of `completion`; empty: not asked.
  bool man = false;
  ImportArgs import;
  ImportsArgs imports;
  NoteArgs note;
  NotesArgs notes;
  HistoryArgs history;
  SeriesArgs series;
  RegressionsArgs regressions;
  BisectArgs bisect;
  NotifyArgs notify;
  ExportArgs exported;
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

// The commands about jobs and boots; about kernels and inputs; about years of results, searches and
// notices; about machines, builds (returned) and keys; those that need files and no farm; about
// imported results and notes.
void AddJobCommands(CLI::App& app, Parse& parse);
void AddCatalogCommands(CLI::App& app, Parse& parse);
void AddHistoryCommands(CLI::App& app, Parse& parse);
void AddBisectCommands(CLI::App& app, Parse& parse);
void AddNotifyCommands(CLI::App& app, Parse& parse);
CLI::App* AddMachineCommands(CLI::App& app, Parse& parse);
void AddFileCommands(CLI::App& app, Parse& parse);
void AddDetailCommands(CLI::App& app, Parse& parse);
void AddShellCommands(CLI::App& app, Parse& parse);
void AddImportCommands(CLI::App& app, Parse& parse);

}  // namespace shakedown::cli
