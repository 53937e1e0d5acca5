#include "controller/cli/completion.h"

#include <CLI/CLI.hpp>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr char kBash[] =
    R"(# shakedown: completion for bash. Put into ~/.bashrc:  source <(shakedown completion bash)
_shakedown() {
  local line words word known
  # Words by blanks: COMP_WORDS are cut at each colon of "kernel:debian-6.12", and so is what is replaced.
  read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=("")
  word=${words[-1]}
  known=${word%"${word##*:}"}
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    if [[ $line == ':files' ]]; then
      compopt -o default
    else
      COMPREPLY+=("${line#"$known"}")
    fi
  done < <(shakedown complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _shakedown shakedown
)";

constexpr char kZsh[] = R"(#compdef shakedown
# shakedown: completion for zsh. Put into ~/.zshrc, after compinit:  source <(shakedown completion zsh)
_shakedown() {
  local -a offers
  local text help files=0
  while IFS=$'\t' read -r text help; do
    if [[ $text == ':files' ]]; then
      files=1
    else
      offers+=("${text//:/\\:}:${help}")
    fi
  done < <(shakedown complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#offers} )) && _describe 'shakedown' offers
  (( files )) && _files
}
compdef _shakedown shakedown
)";

constexpr char kFish[] =
    R"(# shakedown: completion for fish. Save as ~/.config/fish/completions/shakedown.fish
function __shakedown_offers
    set -l words (commandline -opc)
    set -e words[1]
    shakedown complete -- $words (commandline -ct) 2>/dev/null | string match -v ':files*'
end
complete -c shakedown -a '(__shakedown_offers)'
)";

std::string FirstSentence(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  return line.substr(0, line.find("; "));
}

// What stands for a value in --help says what it is.
LiveNames LiveOf(const CLI::Option& option) {
  static const std::map<std::string, LiveNames> known = {
      {"JOB", LiveNames::kJobs},
      {"BOOT", LiveNames::kBoots},
      {"KERNEL", LiveNames::kKernels},
      {"BASE", LiveNames::kKernels},
      {"VARIANT", LiveNames::kNone},
      {"MACHINE", LiveNames::kMachines},
      {"--baseline", LiveNames::kKernels},
      {"--challenger", LiveNames::kKernels},
      {"--machine", LiveNames::kMachines},
      {"--context", LiveNames::kContexts},
      {"BUILD", LiveNames::kBuilds},
      {"CONTEXT", LiveNames::kContexts},
      {"METRIC", LiveNames::kMetrics},
      {"REGRESSION", LiveNames::kRegressions},
      {"BISECT", LiveNames::kBisects},
      {"IMPORT", LiveNames::kImports},
      {"CHALLENGER", LiveNames::kKernels},
      {"--job", LiveNames::kJobs},
      {"TAG", LiveNames::kTags},
      {"SUBJECT", LiveNames::kSubjects},
      {"BASE CHALLENGER", LiveNames::kKernels},
  };
  for (const std::string& name : {option.get_name(), option.get_type_name()}) {
    if (const auto found = known.find(name); found != known.end()) return found->second;
  }
  return LiveNames::kNone;
}

bool WantsFile(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return absl::StrContains(type, "FILE") || absl::StrContains(type, "DIR") ||
         option.get_name() == "FILE" || option.get_name() == "BASE CHALLENGER";
}

// Values that begin with one of a few words, by what stands for them in --help.
const std::vector<Candidate>& WordsOf(const CLI::Option& option) {
  static const std::map<std::string, std::vector<Candidate>> known = {
      {"LOAD",
       {{"make", "build a kernel or a tree"},
        {"latt", "wake-up latency beside a build"},
        {"interbench", "latency of interactive tasks under loads"},
        {"launch", "how fast programs start"},
        {"frames", "frames that come late"},
        {"command", "time a program of yours: 'command -- PROGRAM…'"},
        {"tool", "an installed benchmark: 'tool hackbench'"}}},
      {"STEP",
       {{"stop", "a service: 'stop cron'"},
        {"drop_caches", "before every load run"},
        {"governor", "of all CPUs: 'governor performance'"},
        {"turbo", "'turbo off'"},
        {"autogroup", "'autogroup off'"},
        {"sysctl", "'sysctl NAME=VALUE'"},
        {"settle", "wait for rest before every load run"},
        {"require_ac", "only on mains power"}}},
      {"ACTIVITY",
       {{"audio", "5 % of a CPU every 50 ms"},
        {"video", "40 % of a CPU 60 times a second"},
        {"command", "a program of yours: 'command PROGRAM…'"}}},
      {"SHELL", {{"bash", ""}, {"zsh", ""}, {"fish", ""}}},
  };
  static const std::vector<Candidate> none;
  for (const std::string& name : {option.get_type_name(), option.get_name()}) {
    if (const auto found = known.find(name); found != known.end()) return found->second;
  }
  return none;
}

// An option of a few known values shows them all as its type: "text|csv|json".
void OfferChoices(const CLI::Option& option, const std::string& begins, Offer* offer) {
  const std::string type = option.get_type_name();
  if (!absl::StrContains(type, '|') || absl::ascii_isupper(static_cast<unsigned char>(type[0])))
    return;
  for (absl::string_view value : absl::StrSplit(type, '|')) {
    if (absl::StartsWith(value, begins)) offer->candidates.push_back({std::string(value), ""});
  }
}

void OfferValue(const CLI::Option& option, const std::string& begins, Offer* offer) {
  OfferChoices(option, begins, offer);
  for (const Candidate& word : WordsOf(option)) {
    if (absl::StartsWith(word.text, begins)) offer->candidates.push_back(word);
  }
  offer->live = LiveOf(option);
  offer->files = WantsFile(option);
}

bool TakesValue(const CLI::Option& option) { return option.get_type_size() != 0; }

const CLI::Option* FindOption(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      if (!option->get_positional() || !option->get_lnames().empty()) {
        if (option->check_name(name)) return option;
      }
    }
  }
  return nullptr;
}

const CLI::App* FindCommand(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == word) return command;
  }
  return nullptr;
}

// Where the words before the last one lead.
struct Position {
  const CLI::App* app;
  const CLI::Option* pending = nullptr;  // Wants its value next.
  size_t positionals = 0;
  std::set<const CLI::Option*> given;
};

Position Walk(const CLI::App& app, const std::vector<std::string>& words) {
  Position at{&app};
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (at.pending != nullptr) {
      at.pending = nullptr;
    } else if (absl::StartsWith(word, "-") && word.size() > 1) {
      const CLI::Option* option = FindOption(*at.app, word);
      if (option == nullptr) continue;
      at.given.insert(option);
      if (TakesValue(*option) && !absl::StrContains(word, '=')) at.pending = option;
    } else if (const CLI::App* command = FindCommand(*at.app, word);
               command != nullptr && at.positionals == 0) {
      at.app = command;
    } else {
      ++at.positionals;
    }
  }
  return at;
}

void OfferOptions(const Position& at, const std::string& begins, Offer* offer) {
  for (const CLI::App* app = at.app; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_lnames().empty() ||
          (at.given.count(option) > 0 && option->get_expected_max() == 1))
        continue;
      const std::string text = absl::StrCat("--", option->get_lnames().front());
      if (absl::StartsWith(text, begins))
        offer->candidates.push_back({text, FirstSentence(option->get_description())});
    }
  }
}

void OfferPositional(const Position& at, const std::string& begins, Offer* offer) {
  size_t skip = at.positionals;
  for (const CLI::Option* option : at.app->get_options()) {
    if (!option->get_positional()) continue;
    const bool many = option->get_expected_max() > 1;
    if (skip == 0 || many) return OfferValue(*option, begins, offer);
    --skip;
  }
}

}  // namespace

Offer OfferFor(const CLI::App& app, const std::vector<std::string>& words) {
  Offer offer;
  const std::string last = words.empty() ? "" : words.back();
  const Position at = Walk(app, words);
  if (at.pending != nullptr) {
    OfferValue(*at.pending, last, &offer);
    return offer;
  }
  if (absl::StartsWith(last, "-")) {
    OfferOptions(at, last, &offer);
    return offer;
  }
  if (at.positionals == 0) {
    for (const CLI::App* command : at.app->get_subcommands(nullptr)) {
      if (command->get_group().empty() || !absl::StartsWith(command->get_name(), last)) continue;
      offer.candidates.push_back({command->get_name(), FirstSentence(command->get_description())});
    }
  }
  OfferPositional(at, last, &offer);
  return offer;
}

absl::StatusOr<std::string> CompletionScript(absl::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  return absl::InvalidArgumentError(
      absl::StrCat("shell ", Quoted(shell), ": want bash, zsh or fish"));
}

}  // namespace shakedown::cli
