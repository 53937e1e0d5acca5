// What a shell offers when Tab is pressed, from the same declarations as --help.
#ifndef SHAKEDOWN_CONTROLLER_CLI_COMPLETION_H_
#define SHAKEDOWN_CONTROLLER_CLI_COMPLETION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace CLI {
class App;
}

namespace shakedown::cli {

struct Candidate {
  std::string text;
  std::string help;  // A few words; empty: none.
};

// Names that only the farm knows.
enum class LiveNames {
  kNone,
  kJobs,
  kBoots,
  kKernels,
  kMachines,
  kBuilds,
  kContexts,
  kMetrics,
  kRegressions,
  kBisects,
  kImports,
  kTags,
  kSubjects,  // Of notes: jobs, kernel:NAME, machine:NAME.
};

struct Offer {
  std::vector<Candidate>
      candidates;  // Commands, options and values that begin as the last word does.
  LiveNames live = LiveNames::kNone;  // What else may stand there.
  bool files = false;                 // A file may.
};

// `words` as typed after the program's name; the last one is being typed, and may be empty. Options
// that were given and take one value are not offered again.
Offer OfferFor(const CLI::App& app, const std::vector<std::string>& words);

// The script that a shell sources: it asks `shakedown complete`. InvalidArgument: not bash, zsh or
// fish.
absl::StatusOr<std::string> CompletionScript(absl::string_view shell);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_COMPLETION_H_
