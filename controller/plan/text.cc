#include "controller/plan/text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "controller/plan/interbench_names.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

using Words = std::vector<std::string>;

Words SplitWords(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
}

// Puts the text of one option into the load. Error: InvalidArgument that says what is wanted.
using Setter = std::function<absl::Status(const std::string& value)>;
using Setters = std::map<std::string, Setter>;

template <typename Number>
Setter NumberInto(std::function<void(Number)> set) {
  return [set](const std::string& value) -> absl::Status {
    Number number;
    if (value.empty() || !std::all_of(value.begin(), value.end(), absl::ascii_isdigit) ||
        !absl::SimpleAtoi(value, &number)) {
      return absl::InvalidArgumentError("want a whole number");
    }
    set(number);
    return absl::OkStatus();
  };
}

using Names = google::protobuf::RepeatedPtrField<std::string>;

Setter ListInto(Names* list) {
  return [list](const std::string& value) -> absl::Status {
    list->Clear();
    for (absl::string_view name : absl::StrSplit(value, ',')) {
      if (name.empty()) return absl::InvalidArgumentError("want names parted by single commas");
      list->Add(std::string(name));
    }
    return absl::OkStatus();
  };
}

// As ListInto, in interbench's spelling; a name it does not know is kept for CheckJob to refuse.
Setter InterbenchNamesInto(Names* list) {
  return [list](const std::string& value) -> absl::Status {
    RETURN_IF_ERROR(ListInto(list)(value));
    for (std::string& name : *list) name = CanonicalInterbenchName(name);
    return absl::OkStatus();
  };
}

void AddMakeOptions(v1::MakeLoad* make, Setters* setters) {
  (*setters)["jobs"] = NumberInto<uint32_t>([make](uint32_t n) { make->set_jobs(n); });
  (*setters)["targets"] = ListInto(make->mutable_targets());
}

void AddLattOptions(v1::LattLoad* latt, Setters* setters) {
  (*setters)["clients"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_clients(n); });
  (*setters)["sleep"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_min_sleep_ms(n); });
  (*setters)["width"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_sleep_width_ms(n); });
  (*setters)["work"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_work_kib(n); });
  (*setters)["seconds"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_seconds(n); });
  AddMakeOptions(latt->mutable_make(), setters);
}

void AddInterbenchOptions(v1::InterbenchLoad* bench, Setters* setters) {
  (*setters)["benchmarks"] = InterbenchNamesInto(bench->mutable_benchmarks());
  (*setters)["loads"] = InterbenchNamesInto(bench->mutable_loads());
  (*setters)["seconds"] = NumberInto<uint32_t>([bench](uint32_t n) { bench->set_seconds(n); });
  (*setters)["burn_threads"] =
      NumberInto<uint32_t>([bench](uint32_t n) { bench->set_burn_threads(n); });
  (*setters)["loops_per_ms"] =
      NumberInto<uint64_t>([bench](uint64_t n) { bench->set_loops_per_ms(n); });
}

// The load as it is when nothing is said but its name. InvalidArgument: no such load.
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
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("load ", Quoted(name), ": no such load, want make, latt or interbench"));
  }
  return load;
}

Setters SettersFor(v1::Load* load) {
  Setters setters;
  if (load->has_make()) AddMakeOptions(load->mutable_make(), &setters);
  if (load->has_latt()) AddLattOptions(load->mutable_latt(), &setters);
  if (load->has_interbench()) AddInterbenchOptions(load->mutable_interbench(), &setters);
  setters["iterations"] = NumberInto<uint32_t>([load](uint32_t n) { load->set_iterations(n); });
  setters["warmups"] = NumberInto<uint32_t>([load](uint32_t n) { load->set_warmups(n); });
  return setters;
}

std::string OptionNames(const Setters& setters) {
  return absl::StrJoin(setters, ", ", [](std::string* out, const auto& setter) {
    absl::StrAppend(out, setter.first);
  });
}

absl::Status SetOption(const std::string& load, const std::string& word, const Setters& setters) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const auto found = setters.find(name);
  if (equals == std::string::npos || found == setters.end()) {
    return absl::InvalidArgumentError(absl::StrCat("load ", load, ": no option ", Quoted(word),
                                                   ", want name=value with one of ",
                                                   OptionNames(setters)));
  }
  return Annotate(found->second(word.substr(equals + 1)),
                  absl::StrCat("load ", load, ": option ", Quoted(word)));
}

// Adds " name=value" for each option of `load` whose value is not the one of `defaults`.
class OptionPrinter {
 public:
  explicit OptionPrinter(std::string* out) : out_(out) {}
  void Number(absl::string_view name, uint64_t value, uint64_t assumed) {
    if (value != assumed) absl::StrAppend(out_, " ", name, "=", value);
  }
  void List(absl::string_view name, const Names& value, const Names& assumed) {
    const bool same = std::equal(value.begin(), value.end(), assumed.begin(), assumed.end());
    if (!same) absl::StrAppend(out_, " ", name, "=", absl::StrJoin(value, ","));
  }

 private:
  std::string* out_;
};

void PrintMake(const v1::MakeLoad& make, OptionPrinter& print) {
  print.Number("jobs", make.jobs(), 0);
  print.List("targets", make.targets(), {});
}

void PrintLatt(const v1::LattLoad& latt, const v1::LattLoad& assumed, OptionPrinter& print) {
  print.Number("clients", latt.clients(), assumed.clients());
  print.Number("sleep", latt.min_sleep_ms(), assumed.min_sleep_ms());
  print.Number("width", latt.sleep_width_ms(), assumed.sleep_width_ms());
  print.Number("work", latt.work_kib(), assumed.work_kib());
  print.Number("seconds", latt.seconds(), assumed.seconds());
  PrintMake(latt.make(), print);
}

void PrintInterbench(const v1::InterbenchLoad& bench, const v1::InterbenchLoad& assumed,
                     OptionPrinter& print) {
  print.List("benchmarks", bench.benchmarks(), assumed.benchmarks());
  print.List("loads", bench.loads(), assumed.loads());
  print.Number("seconds", bench.seconds(), assumed.seconds());
  print.Number("burn_threads", bench.burn_threads(), 0);
  print.Number("loops_per_ms", bench.loops_per_ms(), 0);
}

bool IsTunableName(absl::string_view name) {
  return name.find_first_of("./") != absl::string_view::npos;
}

}  // namespace

absl::StatusOr<v1::Load> ParseLoad(absl::string_view text) {
  Words words = SplitWords(text);
  if (words.empty()) {
    return absl::InvalidArgumentError("load \"\": empty, want make, latt or interbench");
  }
  ASSIGN_OR_RETURN(v1::Load load, DefaultLoad(words[0]));
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes != words.end()) {
    if (!load.has_latt() || dashes + 1 == words.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "load ", words[0], ": \"--\" wants the load latt before it and a command after it"));
    }
    load.mutable_latt()->mutable_command()->Add(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  const Setters setters = SettersFor(&load);
  for (size_t i = 1; i < words.size(); ++i) {
    RETURN_IF_ERROR(SetOption(words[0], words[i], setters));
  }
  if (load.has_latt() && load.latt().command_size() > 0) {
    const v1::MakeLoad& make = load.latt().make();
    if (make.jobs() != 0 || make.targets_size() != 0) {
      return absl::InvalidArgumentError(
          "load latt: jobs= and targets= are for make, want them or a command after \"--\"");
    }
    load.mutable_latt()->clear_make();
  }
  return load;
}

std::string PrintLoad(const v1::Load& load) {
  std::string text = load.has_latt() ? "latt" : load.has_interbench() ? "interbench" : "make";
  const absl::StatusOr<v1::Load> assumed = DefaultLoad(text);
  OptionPrinter print(&text);
  if (load.has_make()) PrintMake(load.make(), print);
  if (load.has_latt()) PrintLatt(load.latt(), assumed->latt(), print);
  if (load.has_interbench()) PrintInterbench(load.interbench(), assumed->interbench(), print);
  print.Number("iterations", load.iterations(), assumed->iterations());
  print.Number("warmups", load.warmups(), assumed->warmups());
  if (load.latt().command_size() > 0) {
    absl::StrAppend(&text, " -- ", absl::StrJoin(load.latt().command(), " "));
  }
  return text;
}

absl::StatusOr<v1::Variant> ParseVariant(absl::string_view text) {
  const Words words = SplitWords(text);
  if (words.empty()) {
    return absl::InvalidArgumentError("variant \"\": empty, want a kernel's name");
  }
  v1::Variant variant;
  variant.set_kernel(words[0]);
  for (size_t i = 1; i < words.size(); ++i) {
    absl::string_view word = words[i];
    const size_t equals = word.find('=');
    if (absl::ConsumePrefix(&word, "boot:")) {
      variant.add_boot_parameters(std::string(word));
    } else if (equals != absl::string_view::npos && IsTunableName(word.substr(0, equals))) {
      v1::Tunable* tunable = variant.add_tunables();
      tunable->set_name(std::string(word.substr(0, equals)));
      tunable->set_value(std::string(word.substr(equals + 1)));
    } else if (equals == absl::string_view::npos && IsTunableName(word)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "variant ", words[0], ": ", Quoted(word), " has no value, want ", word,
          "=VALUE for a tunable, or boot:", word, " if it really is a boot parameter"));
    } else {
      variant.add_boot_parameters(std::string(word));
    }
  }
  return variant;
}

std::string PrintVariant(const v1::Variant& variant) {
  std::string text = variant.kernel();
  for (const std::string& parameter : variant.boot_parameters()) {
    const bool marked = absl::StartsWith(parameter, "boot:") ||
                        IsTunableName(absl::string_view(parameter).substr(0, parameter.find('=')));
    absl::StrAppend(&text, " ", marked ? "boot:" : "", parameter);
  }
  for (const v1::Tunable& tunable : variant.tunables()) {
    absl::StrAppend(&text, " ", tunable.name(), "=", tunable.value());
  }
  return text;
}

}  // namespace shakedown::plan
