#include "agent/runner/loads/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

std::vector<std::pair<pid_t, pid_t>> AllParents() {
  std::vector<std::pair<pid_t, pid_t>> parents;
  DIR* entries = opendir("/proc");
  if (entries == nullptr) return parents;
  while (const dirent* entry = readdir(entries)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    const absl::StatusOr<std::string> stat = ReadFile(absl::StrCat("/proc/", pid, "/stat"), 4096);
    if (!stat.ok()) continue;  // It has just gone.
    if (const auto parent = ParentOf(*stat)) parents.emplace_back(pid, *parent);
  }
  closedir(entries);
  return parents;
}

// Whether there are children at all after reaping the dead ones.
bool HasChildren() {
  pid_t reaped;
  do {
    reaped = waitpid(-1, nullptr, WNOHANG);
  } while (reaped > 0 || (reaped < 0 && errno == EINTR));
  return reaped == 0;
}

absl::Status SetOutOfMemoryScore(absl::string_view score) {
  constexpr char kFile[] = "/proc/self/oom_score_adj";
  const int fd = open(kFile, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, kFile);
  const ssize_t wrote = write(fd, score.data(), score.size());
  const int error = errno;
  close(fd);
  return wrote < 0 ? ErrnoStatus(error, kFile) : absl::OkStatus();
}

}  // namespace

absl::Status SpareFromOutOfMemory() { return SetOutOfMemoryScore("-1000"); }
absl::Status ExposeToOutOfMemory() { return SetOutOfMemoryScore("0"); }

absl::Status AdoptOrphans() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return ErrnoStatus(errno, "PR_SET_CHILD_SUBREAPER");
  return absl::OkStatus();
}

std::optional<pid_t> ParentOf(absl::string_view text) {
  const size_t name_end = text.rfind(')');
  if (name_end == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> words =
      absl::StrSplit(text.substr(name_end + 1), ' ', absl::SkipEmpty());
  pid_t parent = 0;
  if (words.size() < 2 || !absl::SimpleAtoi(words[1], &parent)) return std::nullopt;
  return parent;
}

std::vector<pid_t> DescendantsOf(pid_t ancestor,
                                 const std::vector<std::pair<pid_t, pid_t>>& parents,
                                 const std::set<pid_t>& spared) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& [pid, parent] : parents) children.emplace(parent, pid);
  std::vector<pid_t> found;
  std::vector<pid_t> open = {ancestor};
  while (!open.empty() && found.size() <= parents.size()) {
    const pid_t pid = open.back();
    open.pop_back();
    const auto [begin, end] = children.equal_range(pid);
    for (auto it = begin; it != end; ++it) {
      if (spared.count(it->second) > 0) continue;
      found.push_back(it->second);
      open.push_back(it->second);
    }
  }
  return found;
}

std::vector<pid_t> DescendantsOf(pid_t ancestor) { return DescendantsOf(ancestor, AllParents()); }

absl::Status EndDescendants(absl::Duration limit, Clock& clock, const std::set<pid_t>& spared) {
  const absl::Duration until = clock.Elapsed() + limit;
  while (HasChildren()) {
    const std::vector<pid_t> descendants = DescendantsOf(getpid(), AllParents(), spared);
    if (descendants.empty() && !spared.empty()) break;
    for (pid_t pid : descendants) kill(pid, SIGKILL);
    if (clock.Elapsed() > until) {
      return absl::DeadlineExceededError(absl::StrCat(
          descendants.size(), " processes live on after SIGKILL, one is ",
          descendants.empty() ? 0 : descendants[0], ", after ", absl::FormatDuration(limit)));
    }
    clock.Sleep(absl::Milliseconds(2));
  }
  return absl::OkStatus();
}

}  // namespace shakedown::runner
