#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/build/build_context.h"
#include "agent/build/hostile_files.h"
#include "agent/build/image_identity.h"
#include "agent/build/initramfs.h"
#include "agent/build/modules_archive.h"
#include "kernels/recipe/keys.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxImage = 256 << 20;
constexpr size_t kMaxConfig = 4 << 20;
constexpr size_t kKeepPackages = 6;

// The release of the one kernel in an unpacked package, from the name of its image.
absl::StatusOr<std::string> ReleaseIn(const std::string& tree) {
  constexpr absl::string_view kPrefix = "vmlinuz-";
  std::string release;
  std::error_code error;
  for (fs::directory_iterator it(tree + "/boot", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!absl::StartsWith(name, kPrefix)) continue;
    if (!release.empty()) return absl::InvalidArgumentError("more than one kernel in the package");
    release = name.substr(kPrefix.size());
  }
  if (release.empty()) return absl::InvalidArgumentError("no boot/vmlinuz-… in the package");
  RETURN_IF_ERROR(CheckRelease(release));
  return release;
}

absl::Status MakeModulesDep(const std::string& tree, const std::string& release) {
  Command command;
  command.argv = {"depmod", "--basedir", tree, release};
  command.limit = absl::Minutes(5);
  absl::Status status = RunForOutput(command).status();
  if (absl::IsNotFound(status)) {
    return absl::UnavailableError("there is no depmod here: apt-get install kmod");
  }
  return status;
}

absl::StatusOr<BuiltFiles> TakeFiles(const std::string& tree, const std::string& release,
                                     const BuildContext& context) {
  BuiltFiles files;
  ASSIGN_OR_RETURN(files.image,
                   ReadBeneath(tree, absl::StrCat("boot/vmlinuz-", release), kMaxImage));
  ASSIGN_OR_RETURN(files.config,
                   ReadBeneath(tree, absl::StrCat("boot/config-", release), kMaxConfig));
  RETURN_IF_ERROR(MakeModulesDep(tree, release));
  const std::string modules = absl::StrCat(tree, "/lib/modules/", release);
  ASSIGN_OR_RETURN(files.initramfs, BuildInitramfs(modules, context.options.runner_path));
  files.modules_path = absl::StrCat(context.work, "/modules.tar.zst");
  RETURN_IF_ERROR(PackModules(tree, release, files.modules_path));
  return files;
}

// Packages are kept because a new runner makes new artefacts of them; the oldest go.
void RemoveOldPackages(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, std::string>> packages;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!absl::StartsWith(it->path().filename().string(), "linux-image-")) continue;
    packages.emplace_back(fs::last_write_time(it->path(), error), it->path().string());
  }
  std::sort(packages.rbegin(), packages.rend());
  for (size_t i = kKeepPackages; i < packages.size(); ++i)
    fs::remove_all(packages[i].second, error);
}

}  // namespace

absl::StatusOr<BuildOutcome> TakeReadyImage(BuildContext& context) {
  const v1::DebianImage& image = context.order.kernel().kernel().debian_image();
  Debian debian(context.hooks.cancel, [&context](absl::string_view text) { context.Log(text); });
  const std::string packages = absl::StrCat(context.options.folder, "/sources");
  std::error_code error;
  fs::create_directories(packages, error);
  context.Progress("find the package", 0);
  ASSIGN_OR_RETURN(const DebianPackage package, debian.FindImage(image.package(), image.version()));
  context.Progress(absl::StrCat("fetch ", package.name), 0.05f);
  ASSIGN_OR_RETURN(const std::string deb, debian.Fetch(package, packages));
  RemoveOldPackages(packages);
  ASSIGN_OR_RETURN(const std::string digest, Sha256File(deb));
  absl::StatusOr<std::string> runner = Sha256File(context.options.runner_path);
  if (!runner.ok()) return Annotate(runner.status(), "runner for the initramfs");

  kernels::BuildInputs inputs;
  inputs.source = absl::StrCat("sha256:", digest);
  inputs.initramfs = *runner;
  inputs.recipe_version = context.order.kernel().recipe_version();
  const std::string key = kernels::BuildKey(inputs);
  absl::StatusOr<BuildOutcome> found = context.store.Find(key);
  if (found.ok()) {
    found->result.set_reused(true);
    return found;
  }
  context.Progress(absl::StrCat("unpack ", package.name), 0.5f);
  const std::string tree = absl::StrCat(context.work, "/package");
  RETURN_IF_ERROR(debian.Unpack(deb, tree));
  ASSIGN_OR_RETURN(const std::string release, ReleaseIn(tree));
  context.Progress("make the initramfs, pack the modules", 0.8f);
  ASSIGN_OR_RETURN(const BuiltFiles files, TakeFiles(tree, release, context));
  ASSIGN_OR_RETURN(const ImageVersion version, VersionOfBzImage(files.image));
  v1::BuildResult result;
  result.set_build_key(key);
  result.mutable_expected()->set_release(version.release);
  result.mutable_expected()->set_version(version.version);
  result.set_source_version(absl::StrCat(package.name, " ", package.version));
  return context.store.Put(std::move(result), files);
}

}  // namespace shakedown::agent
