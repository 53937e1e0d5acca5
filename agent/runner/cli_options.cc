#include "agent/runner/cli_options.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

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

}  // namespace

Options CommonOptions(LoadCommandLine& line) {
  Options options;
  options["--json"] = Flag([&] { line.json = true; });
  options["--iterations"] =
      NumberOption("--iterations", [&](uint32_t n) { line.load.set_iterations(n); });
  options["--warmups"] = NumberOption("--warmups", [&](uint32_t n) { line.load.set_warmups(n); });
  options["--limit"] = NumberOption("--limit", [&](uint32_t n) { line.limit_s = n; });
  return options;
}

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

}  // namespace shakedown::runner
