#include "controller/plan/text.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "controller/plan/text_loads.h"
#include "controller/plan/text_words.h"
#include "proto/wire/ids.h"
#include "proto/wire/load_kind.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

void AddCommonOptions(v1::Load* load, Options* options) {
  options->values["iterations"] = CountInto([load](uint32_t n) { load->set_iterations(n); });
  options->values["warmups"] = NumberInto<uint32_t>([load](uint32_t n) { load->set_warmups(n); });
  if (!load->has_interbench()) {  // It has two of its own.
    options->values["nice"] = SignedInto([load](int32_t n) { load->set_nice(n); });
  }
}

Options OptionsFor(v1::Load* load, const FileReader& files) {
  Options options;
  AddCommonOptions(load, &options);
  if (load->has_make()) AddMakeOptions(load->mutable_make(), files, &options);
  if (load->has_latt()) {
    AddLattOptions(load->mutable_latt(), &options);
    AddMakeOptions(load->mutable_latt()->mutable_make(), files, &options);
    options.flags.erase("cold");  // Its make runs until the seconds are over.
  }
  if (load->has_interbench()) AddInterbenchOptions(load->mutable_interbench(), &options);
  if (load->has_launch()) AddLaunchOptions(load->mutable_launch(), &options);
  if (load->has_frames()) AddFramesOptions(load->mutable_frames(), &options);
  if (load->has_command()) AddCommandOptions(load->mutable_command(), files, &options);
  if (load->has_tool()) AddToolOptions(load->mutable_tool(), &options);
  return options;
}

// Where the words behind "--" go; nullptr: the load takes none.
Names* WordsOf(v1::Load* load) {
  if (load->has_latt()) return load->mutable_latt()->mutable_command();
  if (load->has_launch()) return load->mutable_launch()->mutable_program();
  if (load->has_command()) return load->mutable_command()->mutable_words();
  if (load->has_tool()) return load->mutable_tool()->mutable_arguments();
  return nullptr;
}

absl::Status TakeWordsBehindDashes(Words* words, v1::Load* load) {
  const auto dashes = std::find(words->begin(), words->end(), "--");
  if (dashes == words->end()) return absl::OkStatus();
  Names* taken = WordsOf(load);
  if (taken == nullptr || dashes + 1 == words->end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("load ", words->front(),
                     ": \"--\" wants a load that takes words (latt, launch, command, tool) before "
                     "it and a word after it"));
  }
  taken->Add(std::make_move_iterator(dashes + 1), std::make_move_iterator(words->end()));
  words->erase(dashes, words->end());
  return absl::OkStatus();
}

// latt runs around its command or around make: options of make are no options of a command.
absl::Status SettleLatt(v1::LattLoad* latt) {
  if (latt->command().empty()) return absl::OkStatus();
  if (latt->make().ByteSizeLong() != 0) {
    return absl::InvalidArgumentError(
        "load latt: jobs=, targets=, tree= and config= are for make, want them or a command after "
        "\"--\"");
  }
  latt->clear_make();
  return absl::OkStatus();
}

// "tool hackbench …": the tool's name is a word of its own.
absl::Status TakeToolName(Words* words, v1::ToolLoad* tool) {
  if (words->size() < 2 || absl::StrContains((*words)[1], '=')) {
    return absl::InvalidArgumentError("load tool: want its name behind it, as \"tool hackbench\"");
  }
  tool->set_tool((*words)[1]);
  words->erase(words->begin() + 1);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::Load> DefaultLoad(const std::string& name) {
  v1::Load load;
  load.set_iterations(1);
  if (name == "make") {
    load.mutable_make();
  } else if (name == "latt") {
    load.mutable_latt()->set_clients(4);
    load.mutable_latt()->set_min_sleep_ms(100);
    load.mutable_latt()->set_sleep_width_ms(500);
    load.mutable_latt()->set_seconds(15);
    load.mutable_latt()->mutable_make();
  } else if (name == "interbench") {
    load.mutable_interbench()->add_benchmarks("Video");
    load.mutable_interbench()->add_benchmarks("X");
    load.mutable_interbench()->add_loads("Burn");
    load.mutable_interbench()->set_seconds(10);
  } else if (name == "launch") {
    load.mutable_launch()->set_count(50);
    load.mutable_launch()->set_pause_ms(100);
  } else if (name == "frames") {
    load.mutable_frames()->set_fps(25);
    load.mutable_frames()->set_seconds(30);
    load.mutable_frames()->set_cpu_percent(30);
    load.mutable_frames()->set_threads(1);
  } else if (name == "command") {
    load.mutable_command();
  } else if (name == "tool") {
    load.mutable_tool()->set_seconds(10);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("load ", Quoted(name), ": no such load, want ", kLoadKinds));
  }
  return load;
}

absl::StatusOr<v1::Load> ParseLoadWords(std::vector<std::string> words, const FileReader& files) {
  if (words.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("load \"\": empty, want ", kLoadKinds));
  }
  ASSIGN_OR_RETURN(v1::Load load, DefaultLoad(words[0]));
  RETURN_IF_ERROR(TakeWordsBehindDashes(&words, &load));
  if (load.has_tool()) RETURN_IF_ERROR(TakeToolName(&words, load.mutable_tool()));
  RETURN_IF_ERROR(SetOptions(words, OptionsFor(&load, files)));
  if (load.has_latt()) RETURN_IF_ERROR(SettleLatt(load.mutable_latt()));
  // Only looked at to be filled.
  if (load.launch().has_beside() && load.launch().beside().kind_case() == 0) {
    load.mutable_launch()->clear_beside();
  }
  if (load.frames().has_beside() && load.frames().beside().kind_case() == 0) {
    load.mutable_frames()->clear_beside();
  }
  return load;
}

absl::StatusOr<v1::Load> ParseLoad(absl::string_view text, const FileReader& files) {
  ASSIGN_OR_RETURN(Words words, SplitWords(text));
  return ParseLoadWords(std::move(words), files);
}

absl::StatusOr<std::vector<v1::Load>> ParseLoads(absl::string_view text, const FileReader& files) {
  ASSIGN_OR_RETURN(const Words words, SplitWords(text));
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto jobs = std::find_if(words.begin(), dashes, [](const std::string& word) {
    return absl::StartsWith(word, "jobs=") && absl::StrContains(word, ',');
  });
  std::vector<v1::Load> loads;
  if (jobs == dashes) {
    ASSIGN_OR_RETURN(loads.emplace_back(), ParseLoadWords(words, files));
    return loads;
  }
  for (absl::string_view one : absl::StrSplit(jobs->substr(5), ',')) {
    Words with_one = words;
    with_one[static_cast<size_t>(jobs - words.begin())] = absl::StrCat("jobs=", one);
    ASSIGN_OR_RETURN(loads.emplace_back(), ParseLoadWords(std::move(with_one), files));
  }
  return loads;
}

std::string PrintLoad(const v1::Load& load) {
  std::string text = LoadKind(load);
  const absl::StatusOr<v1::Load> assumed = DefaultLoad(text);
  if (!assumed.ok()) return text;
  if (load.has_tool()) absl::StrAppend(&text, " ", JoinWords({load.tool().tool()}));
  OptionPrinter print(&text);
  if (load.has_make()) PrintMake(load.make(), print);
  if (load.has_latt()) PrintLatt(load.latt(), assumed->latt(), print);
  if (load.has_latt()) PrintMake(load.latt().make(), print);
  if (load.has_interbench()) PrintInterbench(load.interbench(), assumed->interbench(), print);
  if (load.has_launch()) PrintLaunch(load.launch(), assumed->launch(), print);
  if (load.has_frames()) PrintFrames(load.frames(), assumed->frames(), print);
  if (load.has_command()) PrintCommand(load.command(), print);
  if (load.has_tool()) PrintTool(load.tool(), assumed->tool(), print);
  print.Number("iterations", load.iterations(), assumed->iterations());
  print.Number("warmups", load.warmups(), assumed->warmups());
  print.Signed("nice", load.nice());
  v1::Load copy = load;
  if (const Names* words = WordsOf(&copy); words != nullptr && !words->empty()) {
    absl::StrAppend(&text, " -- ", JoinWords({words->begin(), words->end()}));
  }
  return text;
}

}  // namespace shakedown::plan
