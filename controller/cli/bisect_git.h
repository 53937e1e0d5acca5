// The commits of a git tree on this computer, as a bisect's candidates.
#ifndef SHAKEDOWN_CONTROLLER_CLI_BISECT_GIT_H_
#define SHAKEDOWN_CONTROLLER_CLI_BISECT_GIT_H_

#include <string>

#include "absl/status/status.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::cli {

struct GitRange {
  std::string path;  // Of the tree here.
  std::string good;  // Whatever names a commit: v6.11, HEAD~20, a hash.
  std::string bad;
  bool merges = false;  // Also the commits of merged branches, with their parents; else the first
                        // parents' line alone.
};

// Sets good, bad, candidates and parents of `request` to commits, by `git rev-list`.
// InvalidArgument: no such tree or commit, or good is no ancestor of bad. Others: git can not be
// run.
absl::Status SetCommits(const GitRange& range, v1::StartBisectRequest* request);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_BISECT_GIT_H_
