#include "controller/cli/bisect_git.h"

#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::cli {
namespace {

// 10,000 commits of a few parents each.
constexpr size_t kMostOutput = 16 << 20;

absl::StatusOr<std::string> Git(const std::string& path, std::vector<std::string> arguments) {
  Command command;
  command.argv = {"git", "-C", path};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  // The owner of a shared tree is not always who bisects it; nothing of it is run here.
  command.environment.push_back("GIT_CONFIG_COUNT=1");
  command.environment.push_back("GIT_CONFIG_KEY_0=safe.directory");
  command.environment.push_back("GIT_CONFIG_VALUE_0=*");
  command.limit = absl::Minutes(2);
  command.keep = kMostOutput;
  return RunForOutput(command);
}

absl::StatusOr<std::string> CommitOf(const GitRange& range, const std::string& name) {
  if (absl::StartsWith(name, "-")) {
    return absl::InvalidArgumentError(absl::StrCat("commit ", Quoted(name), ": want a commit"));
  }
  const auto found =
      Git(range.path, {"rev-parse", "--verify", "--quiet", absl::StrCat(name, "^{commit}")});
  if (!found.ok() && absl::IsNotFound(found.status())) return found.status();
  const std::string hash =
      found.ok() ? std::string(absl::StripAsciiWhitespace(*found)) : std::string();
  if (hash.size() == 40) return hash;
  return absl::InvalidArgumentError(absl::StrCat("commit ", Quoted(name), ": not in the git tree ",
                                                 PrintableLine(range.path, 200)));
}

}  // namespace

absl::Status SetCommits(const GitRange& range, v1::StartBisectRequest* request) {
  ASSIGN_OR_RETURN(const std::string good, CommitOf(range, range.good));
  ASSIGN_OR_RETURN(const std::string bad, CommitOf(range, range.bad));
  if (!Git(range.path, {"merge-base", "--is-ancestor", good, bad}).ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("commit ", Quoted(range.good), ": want an ancestor of ", Quoted(range.bad)));
  }
  std::vector<std::string> list = {"rev-list", "--reverse", "--topo-order", "--parents"};
  if (!range.merges) list.push_back("--first-parent");
  list.push_back(absl::StrCat(good, "..", bad));
  ASSIGN_OR_RETURN(const std::string lines, Git(range.path, list));
  request->set_good(good);
  request->set_bad(bad);
  std::map<std::string, uint32_t> index = {{good, 0}};
  request->add_candidates(good);
  if (range.merges) request->add_parents();
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> hashes = absl::StrSplit(line, ' ', absl::SkipEmpty());
    index[hashes.front()] = static_cast<uint32_t>(request->candidates_size());
    request->add_candidates(hashes.front());
    if (!range.merges) continue;
    auto* parents = request->add_parents();
    for (size_t i = 1; i < hashes.size(); ++i) {
      const auto parent = index.find(hashes[i]);
      if (parent != index.end()) parents->add_candidates(parent->second);
    }
  }
  return absl::OkStatus();
}

}  // namespace shakedown::cli
