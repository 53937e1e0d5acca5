#include "agent/runner/loads/build_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/runner/loads/timed_command.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostJobs = 1024;
constexpr size_t kMostTargets = 10000;

enum class Kind { kFolder, kFile, kName };

Kind KindOf(const std::string& target) {
  if (absl::EndsWith(target, "/")) return Kind::kFolder;
  for (absl::string_view suffix : {".o", ".a", ".ko"}) {
    if (absl::EndsWith(target, suffix)) return Kind::kFile;
  }
  return Kind::kName;
}

bool HasName(const BuildPlan& plan) {
  return plan.targets.empty() ||
         std::any_of(plan.targets.begin(), plan.targets.end(),
                     [](const std::string& t) { return KindOf(t) == Kind::kName; });
}

absl::Status CheckTarget(absl::string_view target) {
  const bool good =
      !target.empty() && target.size() <= 256 && target[0] != '-' && target[0] != '/' &&
      !absl::StrContains(target, "..") && std::all_of(target.begin(), target.end(), [](char c) {
        return absl::ascii_isalnum(c) || absl::StrContains("_./+-", std::string(1, c));
      });
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("make target ", Quoted(target),
                                                 ": want [A-Za-z0-9_./+-] without \"..\", not "
                                                 "starting with '-' or '/'"));
}

bool IsProduct(const std::string& name) {
  for (absl::string_view suffix : {".o", ".a", ".ko", ".o.cmd", ".a.cmd", ".ko.cmd"}) {
    if (absl::EndsWith(name, suffix)) return true;
  }
  return false;
}

// Calls `visit` for each regular file below `folder`, following no link. No folder, no file: out of
// place a folder comes with its first object.
absl::Status Walk(const std::string& folder, const std::function<void(const fs::path&)>& visit) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  if (error == std::errc::no_such_file_or_directory) return absl::OkStatus();
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;  // It may just have gone.
    if (it->symlink_status(ignored).type() == fs::file_type::regular) visit(it->path());
  }
  return error ? ErrnoStatus(error.value(), folder) : absl::OkStatus();
}

absl::Status Remove(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return ErrnoStatus(errno, path);
}

// "dir/.file.o.cmd" of "dir/file.o": what kbuild remembers of the command that made it.
std::string CommandFileOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return absl::StrCat(path.substr(0, slash + 1), ".", path.substr(slash + 1), ".cmd");
}

absl::StatusOr<std::vector<std::string>> DefaultTargets(const std::string& tree) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(absl::StrCat(tree, "/", kTargetsFile), 1 << 20));
  std::vector<std::string> targets;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && line[0] != '#') targets.emplace_back(line);
  }
  return targets;
}

}  // namespace

std::vector<std::string> BuildPlan::Argv() const {
  std::vector<std::string> argv = {"make", absl::StrCat("-j", jobs)};
  argv.insert(argv.end(), targets.begin(), targets.end());
  return argv;
}

absl::StatusOr<uint32_t> JobsFor(const v1::MakeLoad& load, uint32_t cpus) {
  if (load.jobs() > 0 && load.jobs_per_cpu() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("make: jobs ", load.jobs(), " and jobs_per_cpu ",
                                                   load.jobs_per_cpu(), ", want one of them"));
  }
  if (!(load.jobs_per_cpu() >= 0 && load.jobs_per_cpu() <= 64)) {
    return absl::InvalidArgumentError(
        absl::StrCat("make: jobs_per_cpu ", load.jobs_per_cpu(), ", want 0 to 64"));
  }
  uint32_t jobs = load.jobs();
  if (jobs == 0) {
    const double per_cpu = load.jobs_per_cpu() > 0 ? load.jobs_per_cpu() : 2;
    jobs = static_cast<uint32_t>(std::max(1.0, std::ceil(per_cpu * cpus)));
  }
  if (jobs <= kMostJobs) return jobs;
  return absl::InvalidArgumentError(
      absl::StrCat("make: jobs ", jobs, ", want at most ", kMostJobs));
}

absl::StatusOr<BuildPlan> PlanBuild(const v1::MakeLoad& load, const std::string& tree,
                                    bool may_lack) {
  BuildPlan plan;
  plan.tree = tree;
  struct stat found;
  if (stat(tree.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("make: ", tree, ": no such folder, want a source tree"));
  }
  ASSIGN_OR_RETURN(
      plan.jobs, JobsFor(load, static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))));
  plan.targets = {load.targets().begin(), load.targets().end()};
  const bool none = may_lack && access(absl::StrCat(tree, "/", kTargetsFile).c_str(), F_OK) != 0;
  if (plan.targets.empty() && none) return plan;
  if (plan.targets.empty()) {
    absl::StatusOr<std::vector<std::string>> targets = DefaultTargets(tree);
    if (!targets.ok()) return Annotate(targets.status(), "make: default targets");
    plan.targets = *std::move(targets);
  }
  if (plan.targets.empty() || plan.targets.size() > kMostTargets) {
    return absl::InvalidArgumentError(
        absl::StrCat("make: ", plan.targets.size(), " targets, want 1 to ", kMostTargets));
  }
  for (const std::string& target : plan.targets) RETURN_IF_ERROR(CheckTarget(target));
  return plan;
}

absl::Status RemoveNamedObjects(const BuildPlan& plan) {
  for (const std::string& target : plan.targets) {
    const std::string path = absl::StrCat(plan.tree, "/", target);
    if (KindOf(target) == Kind::kFile) {
      RETURN_IF_ERROR(Remove(path));
      RETURN_IF_ERROR(Remove(CommandFileOf(path)));
    } else if (KindOf(target) == Kind::kFolder) {
      std::vector<std::string> products;
      RETURN_IF_ERROR(Walk(path, [&](const fs::path& file) {
        if (IsProduct(file.filename())) products.push_back(file);
      }));
      for (const std::string& product : products) RETURN_IF_ERROR(Remove(product));
    }
  }
  return absl::OkStatus();
}

absl::Status RemoveObjects(const BuildPlan& plan) {
  if (HasName(plan)) {
    TimedCommand clean;
    clean.argv = {"make", "clean"};
    clean.folder = plan.tree;
    ASSIGN_OR_RETURN(const CommandTimes times, TimeCommand(clean));
    RETURN_IF_ERROR(CommandStatus(clean, times));
  }
  return RemoveNamedObjects(plan);
}

absl::StatusOr<size_t> CountObjects(const BuildPlan& plan) {
  size_t objects = 0;
  const auto count = [&](const fs::path& file) {
    if (absl::EndsWith(file.native(), ".o")) ++objects;
  };
  if (HasName(plan)) {
    RETURN_IF_ERROR(Walk(plan.tree, count));
    return objects;
  }
  for (const std::string& target : plan.targets) {
    const std::string path = absl::StrCat(plan.tree, "/", target);
    if (KindOf(target) == Kind::kFolder) {
      RETURN_IF_ERROR(Walk(path, count));
    } else if (access(path.c_str(), F_OK) == 0) {
      ++objects;
    }
  }
  return objects;
}

}  // namespace shakedown::runner
