#include "agent/runner/loads/prepare_build.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/runner/loads/compilers.h"
#include "agent/runner/loads/timed_command.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestConfig = 1 << 20;
constexpr size_t kOptionsInWarning = 8;

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// An archive mostly holds one folder with everything in it; lost+found is the disk's.
std::string TopOf(const std::string& folder) {
  if (Exists(folder + "/Makefile")) return folder;
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() != "lost+found") found.push_back(it->path().native());
  }
  const bool one = !error && found.size() == 1 && fs::is_directory(fs::symlink_status(found[0]));
  return one ? found[0] : folder;
}

absl::StatusOr<std::string> SourceOf(const v1::MakeLoad& make, const LoadContext& context) {
  if (make.tree().empty()) return context.tree;
  RETURN_IF_ERROR(CheckName("make: tree", make.tree()));
  const std::string folder = absl::StrCat(context.inputs, "/", make.tree());
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat("make: tree ", make.tree(), ": ", folder,
                     " is not there, want the input unpacked or mounted there"));
  }
  return TopOf(folder);
}

// kbuild builds out of place only from a tree that nothing has been built in.
bool CanBuildElsewhere(const std::string& source) {
  return Exists(source + "/Kbuild") && Exists(source + "/Kconfig") &&
         Exists(source + "/scripts/kconfig") && !Exists(source + "/.config") &&
         !Exists(source + "/include/config");
}

absl::Status Run(std::vector<std::string> argv, const std::string& folder) {
  TimedCommand command;
  command.argv = std::move(argv);
  command.folder = folder;
  ASSIGN_OR_RETURN(const CommandTimes times, TimeCommand(command));
  return CommandStatus(command, times);
}

absl::Status CheckConfig(const v1::MakeLoad& make) {
  static constexpr absl::string_view kTargets[] = {"", "allnoconfig", "defconfig", "tinyconfig"};
  if (std::find(std::begin(kTargets), std::end(kTargets), make.config_target()) ==
      std::end(kTargets)) {
    return absl::InvalidArgumentError(absl::StrCat("make: config_target ",
                                                   Quoted(make.config_target()),
                                                   ", want allnoconfig, defconfig or tinyconfig"));
  }
  if (!make.config_target().empty() && !make.config().empty()) {
    return absl::InvalidArgumentError("make: config_target and config, want one of them");
  }
  if (make.config().size() > kLargestConfig) {
    return absl::InvalidArgumentError(absl::StrCat("make: config of ", make.config().size(),
                                                   " bytes, want at most ", kLargestConfig));
  }
  return absl::OkStatus();
}

void WarnOfLostOptions(const std::vector<std::string>& lost, v1::LoadRun& run) {
  if (lost.empty()) return;
  const size_t shown = std::min(lost.size(), kOptionsInWarning);
  run.add_warnings(
      absl::StrCat("make: ", lost.size(), " options of the configuration are LOST in this tree: ",
                   absl::StrJoin(lost.begin(), lost.begin() + static_cast<ptrdiff_t>(shown), ", "),
                   shown < lost.size() ? ", … (all of them in the output)" : ""));
  if (shown < lost.size()) {
    absl::StrAppend(run.mutable_output(), "Options lost in olddefconfig:\n",
                    absl::StrJoin(lost, "\n"), "\n");
  }
}

// In `folder`, which holds the tree or kbuild's Makefile for it; `base`: make and what leads it
// there.
absl::Status Configure(const v1::MakeLoad& make, const std::string& folder,
                       std::vector<std::string> base, v1::LoadRun& run) {
  if (!make.config_target().empty()) {
    base.push_back(make.config_target());
    return Annotate(Run(base, folder), "make: configuration");
  }
  if (make.config().empty()) return absl::OkStatus();
  const std::string path = folder + "/.config";
  RETURN_IF_ERROR(WriteFileAtomically(path, make.config()));
  base.push_back("olddefconfig");
  RETURN_IF_ERROR(Annotate(Run(base, folder), "make: configuration"));
  ASSIGN_OR_RETURN(const std::string made, ReadFile(path, 4 * kLargestConfig));
  WarnOfLostOptions(LostOptions(make.config(), made), run);
  return absl::OkStatus();
}

// kbuild's own tools and headers, so that the first iteration makes no more than the others.
absl::Status Prepare(const v1::MakeLoad& make, const std::string& folder,
                     const LoadContext& context) {
  context.progress(0, "make, preparing the tree");
  ASSIGN_OR_RETURN(const BuildPlan plan, PlanBuild(make, folder, true));
  return Annotate(Run({"make", absl::StrCat("-j", plan.jobs), "prepare"}, folder),
                  "make: preparation of the tree");
}

// The folder to build in: below scratch, under a name that no other build of the load has.
absl::StatusOr<std::string> MakeScratchTree(const v1::MakeLoad& make, const std::string& source,
                                            const LoadContext& context, v1::LoadRun& run) {
  std::string folder = context.scratch + "/tree.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return ErrnoStatus(errno, folder);
  if (CanBuildElsewhere(source)) {
    if (make.config_target().empty() && make.config().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("make: ", source, " has no .config, want a config_target or a config"));
    }
    RETURN_IF_ERROR(
        Configure(make, folder, {"make", "-C", source, absl::StrCat("O=", folder)}, run));
    std::error_code error;  // Mostly there is none.
    fs::copy_file(source + "/" + kTargetsFile, folder + "/" + kTargetsFile, error);
    RETURN_IF_ERROR(Prepare(make, folder, context));
    return folder;
  }
  context.progress(0, "make, copying the tree");
  RETURN_IF_ERROR(
      Annotate(Run({"cp", "-a", "--", source + "/.", folder}, ""), "make: copy of the tree"));
  // A read-only source gives a read-only folder.
  if (chmod(folder.c_str(), 0755) != 0) return ErrnoStatus(errno, folder);
  RETURN_IF_ERROR(Configure(make, folder, {"make"}, run));
  if (Exists(folder + "/Kbuild")) RETURN_IF_ERROR(Prepare(make, folder, context));
  return folder;
}

// CONFIG_X → its line's meaning: "y", "\"text\"", or "not set".
std::map<std::string, std::string> OptionsOf(absl::string_view text) {
  std::map<std::string, std::string> options;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (absl::ConsumePrefix(&line, "# ") && absl::ConsumeSuffix(&line, " is not set")) {
      if (absl::StartsWith(line, "CONFIG_")) options[std::string(line)] = "not set";
    } else if (const size_t equals = line.find('=');
               absl::StartsWith(line, "CONFIG_") && equals != absl::string_view::npos) {
      options[std::string(line.substr(0, equals))] = std::string(line.substr(equals + 1));
    }
  }
  return options;
}

}  // namespace

std::vector<std::string> LostOptions(absl::string_view wanted, absl::string_view made) {
  const std::map<std::string, std::string> has = OptionsOf(made);
  std::vector<std::string> lost;
  for (const auto& [name, value] : OptionsOf(wanted)) {
    const auto found = has.find(name);
    const std::string got = found == has.end() ? "not set" : found->second;
    const std::string want = value == "n" ? "not set" : value;
    if (want == got) continue;
    lost.push_back(want == "not set" ? absl::StrCat(name, " off: ", got)
                                     : absl::StrCat(name, "=", want, ": ", got));
  }
  return lost;
}

bool BuildsInScratch(const v1::MakeLoad& make) {
  return !make.tree().empty() || !make.config_target().empty() || !make.config().empty();
}

std::vector<v1::MakeLoad> BuildsInPlace(const v1::Load& load) {
  std::vector<v1::MakeLoad> builds;
  const auto add = [&](bool is, const v1::MakeLoad& make) {
    if (is && !BuildsInScratch(make)) builds.push_back(make);
  };
  add(load.has_make(), load.make());
  add(load.has_latt() && load.latt().command().empty(), load.latt().make());
  add(load.launch().beside().has_make(), load.launch().beside().make());
  add(load.frames().beside().has_make(), load.frames().beside().make());
  return builds;
}

absl::StatusOr<BuildPlan> PrepareBuild(const v1::MakeLoad& make, const LoadContext& context,
                                       v1::LoadRun& run) {
  RETURN_IF_ERROR(CheckConfig(make));
  RETURN_IF_ERROR(CheckCompilers(kCommandPath));
  ASSIGN_OR_RETURN(std::string tree, SourceOf(make, context));
  if (BuildsInScratch(make)) {
    ASSIGN_OR_RETURN(tree, MakeScratchTree(make, tree, context, run));
  }
  return PlanBuild(make, tree, BuildsInScratch(make));
}

}  // namespace shakedown::runner
