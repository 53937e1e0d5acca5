#include <functional>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/runner/cli.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

// Takes an option's value; flags get "".
using Setter = std::function<absl::Status(absl::string_view value)>;
struct Option {
  bool takes_value;
  Setter set;
};
using Options = std::map<std::string, Option>;

template <typename Set>
Option NumberOption(std::string name, Set set) {
  return {true, [name, set](absl::string_view value) -> absl::Status {
            uint64_t number = 0;
            if (!absl::SimpleAtoi(value, &number) || number > 0xffffffffu) {
              return absl::InvalidArgumentError(
                  absl::StrCat("option ", name, ": ", Quoted(value), ", want a whole number"));
            }
            set(static_cast<uint32_t>(number));
            return absl::OkStatus();
          }};
}

template <typename Set>
Option TextOption(Set set) {
  return {true, [set](absl::string_view value) {
            set(std::string(value));
            return absl::OkStatus();
          }};
}

template <typename Set>
Option Flag(Set set) {
  return {false, [set](absl::string_view) {
            set();
            return absl::OkStatus();
          }};
}

Options CommonOptions(LoadCommandLine& line) {
  Options options;
  options["--json"] = Flag([&] { line.json = true; });
  options["--iterations"] =
      NumberOption("--iterations", [&](uint32_t n) { line.load.set_iterations(n); });
  options["--warmups"] = NumberOption("--warmups", [&](uint32_t n) { line.load.set_warmups(n); });
  options["--limit"] = NumberOption("--limit", [&](uint32_t n) { line.limit_s = n; });
  return options;
}

Options MakeOptions(LoadCommandLine& line) {
  Options options = CommonOptions(line);
  v1::MakeLoad* make = line.load.mutable_make();
  options["-j"] = NumberOption("-j", [=](uint32_t n) { make->set_jobs(n); });
  options["-C"] = TextOption([&](std::string folder) { line.tree = std::move(folder); });
  return options;
}

Options LattOptions(LoadCommandLine& line) {
  Options options = CommonOptions(line);
  v1::LattLoad* latt = line.load.mutable_latt();
  latt->set_clients(1);  // The original's defaults; the farm's differ.
  latt->set_work_kib(64);
  options["-c"] = NumberOption("-c", [=](uint32_t n) { latt->set_clients(n); });
  options["-s"] = NumberOption("-s", [=](uint32_t n) { latt->set_min_sleep_ms(n); });
  options["-S"] = NumberOption("-S", [=](uint32_t n) { latt->set_sleep_width_ms(n); });
  options["-x"] = NumberOption("-x", [=](uint32_t n) { latt->set_work_kib(n); });
  options["--seconds"] = NumberOption("--seconds", [=](uint32_t n) { latt->set_seconds(n); });
  return options;
}

// Sets of names that -w, -x, -W and -X build.
struct Selection {
  std::vector<std::string> only;
  std::set<std::string> without;
};

Options InterbenchOptions(LoadCommandLine& line, Selection& benchmarks, Selection& loads) {
  Options options = CommonOptions(line);
  v1::InterbenchLoad* bench = line.load.mutable_interbench();
  options["-l"] = NumberOption("-l", [=](uint32_t n) { bench->set_loops_per_ms(n); });
  options["-L"] = NumberOption("-L", [=](uint32_t n) { bench->set_burn_threads(n); });
  options["-t"] = NumberOption("-t", [=](uint32_t n) { bench->set_seconds(n); });
  options["-w"] = TextOption([&](std::string name) { loads.only.push_back(std::move(name)); });
  options["-x"] = TextOption([&](std::string name) { loads.without.insert(std::move(name)); });
  options["-W"] = TextOption([&](std::string name) { benchmarks.only.push_back(std::move(name)); });
  options["-X"] = TextOption([&](std::string name) { benchmarks.without.insert(std::move(name)); });
  return options;
}

// "-c8" is option -c with value 8; long options take "=value" or the next word.
absl::Status TakeOption(const std::vector<std::string>& words, size_t& at, const Options& options) {
  const std::string& word = words[at];
  std::string name = word, value;
  bool glued = false;
  if (absl::StartsWith(word, "--")) {
    const size_t equals = word.find('=');
    glued = equals != std::string::npos;
    name = word.substr(0, equals);
    if (glued) value = word.substr(equals + 1);
  } else if (word.size() > 2) {
    name = word.substr(0, 2);
    value = word.substr(2);
    glued = true;
  }
  const auto option = options.find(name);
  if (option == options.end()) {
    return absl::InvalidArgumentError(absl::StrCat(words[0], ": unknown option ", Quoted(word)));
  }
  if (!option->second.takes_value && glued) {
    return absl::InvalidArgumentError(absl::StrCat("option ", name, " takes no value"));
  }
  if (option->second.takes_value && !glued) {
    if (++at == words.size()) {
      return absl::InvalidArgumentError(absl::StrCat("option ", name, " wants a value"));
    }
    value = words[at];
  }
  return option->second.set(value);
}

// Up to the first word that is no option, or behind "--": these words belong to the load.
absl::StatusOr<std::vector<std::string>> TakeOptions(const std::vector<std::string>& words,
                                                     const Options& options) {
  size_t at = 1;
  for (; at < words.size(); ++at) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    if (words[at].size() < 2 || words[at][0] != '-') break;
    RETURN_IF_ERROR(TakeOption(words, at, options));
  }
  return std::vector<std::string>(
      words.begin() + static_cast<ptrdiff_t>(std::min(at, words.size())), words.end());
}

void Select(const Selection& selection, std::vector<std::string> all,
            google::protobuf::RepeatedPtrField<std::string>& names) {
  const auto without = [&](const std::string& name) {
    for (const std::string& other : selection.without) {
      if (absl::EqualsIgnoreCase(name, other)) return true;
    }
    return false;
  };
  if (!selection.only.empty()) all = selection.only;
  if (selection.only.empty() && selection.without.empty()) return;  // The load's own default.
  for (const std::string& name : all) {
    if (!without(name)) names.Add(std::string(name));
  }
}

}  // namespace

absl::StatusOr<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  const std::string name = words.empty() ? "" : words[0];
  Selection benchmarks, loads;
  Options options;
  if (name == "make") options = MakeOptions(line);
  if (name == "latt") options = LattOptions(line);
  if (name == "interbench") options = InterbenchOptions(line, benchmarks, loads);
  if (options.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("command ", Quoted(name), ", want identify, make, latt or interbench"));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> rest, TakeOptions(words, options));
  if (name == "make") {
    for (const std::string& target : rest) line.load.mutable_make()->add_targets(target);
  } else if (name == "latt") {
    if (rest.empty())
      return absl::InvalidArgumentError("latt: no command, want latt [options] -- command…");
    google::protobuf::RepeatedPtrField<std::string>& command =
        *line.load.mutable_latt()->mutable_command();
    // The original takes the command as one word for the shell.
    if (rest.size() == 1 && absl::StrContains(rest[0], ' ')) {
      for (const char* word : {"sh", "-c"}) *command.Add() = word;
    }
    for (const std::string& word : rest) *command.Add() = word;
  } else {
    if (!rest.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("interbench: ", Quoted(rest[0]), ": want options only"));
    }
    v1::InterbenchLoad& bench = *line.load.mutable_interbench();
    Select(benchmarks, {"Audio", "Video", "X", "Gaming"}, *bench.mutable_benchmarks());
    Select(loads, {"None", "Video", "X", "Burn", "Write", "Read", "Compile", "Memload"},
           *bench.mutable_loads());
  }
  return line;
}

}  // namespace shakedown::runner
