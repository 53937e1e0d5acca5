#include "absl/strings/str_cat.h"
#include "agent/runner/cli.h"
#include "agent/runner/cli_options.h"
#include "proto/wire/ids.h"
#include "proto/wire/load_kind.h"

namespace shakedown::runner {

absl::StatusOr<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words) {
  const std::string name = words.empty() ? "" : words[0];
  if (name == "make") return ParseMakeCommandLine(words);
  if (name == "latt") return ParseLattCommandLine(words);
  if (name == "interbench") return ParseInterbenchCommandLine(words);
  for (const char* kind : {"launch", "frames", "command", "tool"}) {
    if (name == kind) return ParseTextCommandLine(words);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("command ", Quoted(name), ", want identify, ", kLoadKinds));
}

}  // namespace shakedown::runner
