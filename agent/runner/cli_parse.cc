#include "absl/strings/str_cat.h"
#include "agent/runner/cli.h"
#include "agent/runner/cli_options.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

Options MakeOptions(LoadCommandLine& line) {
  Options options = CommonOptions(line);
  v1::MakeLoad* make = line.load.mutable_make();
  options["-j"] = NumberOption("-j", [=](uint32_t n) { make->set_jobs(n); });
  options["-C"] = TextOption([&](std::string folder) { line.tree = std::move(folder); });
  return options;
}

}  // namespace

absl::StatusOr<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  const std::string name = words.empty() ? "" : words[0];
  if (name == "latt") return ParseLattCommandLine(words);
  if (name == "interbench") return ParseInterbenchCommandLine(words);
  Options options;
  if (name == "make") options = MakeOptions(line);
  if (options.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("command ", Quoted(name), ", want identify, make, latt or interbench"));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> rest, TakeOptions(words, options));
  if (name == "make") {
    for (const std::string& target : rest) line.load.mutable_make()->add_targets(target);
  }
  return line;
}

}  // namespace shakedown::runner
