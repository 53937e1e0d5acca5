#include "kernels/recipe/steps.h"

#include "absl/strings/str_cat.h"
#include "kernels/recipe/keys.h"

namespace shakedown::kernels {
namespace {

// `make` in the tree, with the tools chosen.
std::vector<std::string> Make(const Tools& tools, std::vector<std::string> rest) {
  const absl::string_view launcher = tools.ccache ? "ccache " : "";
  std::vector<std::string> argv = {"make",
                                   "-C",
                                   kTree,
                                   "ARCH=x86_64",
                                   absl::StrCat("CC=", launcher, tools.compiler),
                                   absl::StrCat("HOSTCC=", launcher, "gcc")};
  for (std::string& word : rest) argv.push_back(std::move(word));
  return argv;
}

std::vector<std::string> Tar(std::vector<std::string> rest) {
  std::vector<std::string> argv = {"tar", "--no-same-owner", "--no-same-permissions"};
  for (std::string& word : rest) argv.push_back(std::move(word));
  return argv;
}

std::string Into(absl::string_view folder) { return absl::StrCat("--directory=", folder); }

std::string File(absl::string_view file) { return absl::StrCat("--file=", file); }

void AddUnpack(const v1::Kernel& kernel, SourceForm form, const Tools& tools,
               std::vector<Step>& steps) {
  steps.push_back({"make the folders", {"mkdir", kTree, kModulesFolder, kOut}});
  switch (form) {
    case SourceForm::kArchive:
      steps.push_back({"unpack the source", Tar({"--extract", File("/in/source"), Into(kTree),
                                                 "--strip-components=1"})});
      return;
    case SourceForm::kGit:
      // The repository may be another user's: inside the sandbox its configuration can do no harm.
      steps.push_back(
          {"take the commit out of git",
           {"git", "-c", "safe.directory=*", "-C", "/in/source", "archive", "--format=tar",
            absl::StrCat("--output=", kTreeTar), kernel.git().commit()}});
      steps.push_back({"unpack the source", Tar({"--extract", File(kTreeTar), Into(kTree)})});
      steps.push_back({"unpack the source", {"rm", kTreeTar}});
      return;
    case SourceForm::kFolder:
      // Through a tar: leaves out version control, and needs no shell.
      steps.push_back(
          {"copy the tree",
           {"tar", "--create", File(kTreeTar), "--exclude-vcs", Into("/in/source"), "."}});
      steps.push_back({"copy the tree", Tar({"--extract", File(kTreeTar), Into(kTree)})});
      steps.push_back({"clean the copied tree", Make(tools, {"--silent", "mrproper"})});
      steps.push_back({"digest the copied tree",
                       {"tar", "--create", File(kTreeTar), "--sort=name", "--mtime=@0", "--owner=0",
                        "--group=0", "--numeric-owner", "--format=gnu", Into(kTree), "."}});
      return;
  }
}

// Context must match exactly (offsets may differ): a patch that lands a few lines beside its place
// measures a kernel that nobody wrote.
Step PatchStep(const v1::Patch& patch, int number) {
  return {absl::StrCat("patch ", number, " (", patch.location(), ")"),
          {"patch", "--batch", "--forward", "--no-backup-if-mismatch", "--fuzz=0",
           "--reject-file=-", absl::StrCat("--directory=", kTree),
           absl::StrCat("--strip=", patch.strip()), absl::StrCat("--input=/in/patch-", number)}};
}

// allnoconfig takes the wishes in one go: what they make visible and they do not name stays "no".
// The other bases get them appended, and the tree's defaults for what becomes visible.
void AddConfigure(const v1::KernelConfig& config, const Tools& tools, std::vector<Step>& steps) {
  const char* name = "configure";
  if (config.base() == v1::KernelConfig::BASE_ALLNOCONFIG) {
    steps.push_back(
        {name, Make(tools, {"--silent", "KCONFIG_ALLCONFIG=/in/wishes", "allnoconfig"})});
    return;
  }
  if (config.base() == v1::KernelConfig::BASE_DEFCONFIG) {
    steps.push_back({name, Make(tools, {"--silent", "defconfig"})});
  } else {
    steps.push_back({name, {"cp", "/in/base.config", absl::StrCat(kTree, "/.config")}});
  }
  steps.push_back({name, {"sh", "-c", absl::StrCat("cat /in/wishes >>", kTree, "/.config")}});
  steps.push_back({name, Make(tools, {"--silent", "olddefconfig"})});
}

}  // namespace

std::vector<Step> PrepareSteps(const v1::Kernel& kernel, SourceForm form, const Tools& tools) {
  std::vector<Step> steps;
  AddUnpack(kernel, form, tools, steps);
  for (int i = 0; i < kernel.patches_size(); ++i) {
    steps.push_back(PatchStep(kernel.patches(i), i + 1));
  }
  AddConfigure(kernel.config(), tools, steps);
  return steps;
}

std::vector<Step> CompileSteps(absl::string_view build_key, int jobs, bool modules,
                               const Tools& tools) {
  const std::string version = absl::StrCat("LOCALVERSION=", LocalVersion(build_key));
  const std::string tree = absl::StrCat(kTree, "/");
  std::vector<std::string> compile = {absl::StrCat("-j", jobs), version, "bzImage"};
  if (modules) compile.push_back("modules");
  std::vector<Step> steps = {{"compile", Make(tools, std::move(compile))}};
  if (modules) {
    steps.push_back(
        {"install the modules",
         Make(tools, {"--silent", version, absl::StrCat("INSTALL_MOD_PATH=", kModulesFolder),
                      "INSTALL_MOD_STRIP=1", "modules_install"})});
  }
  steps.push_back(
      {"collect",
       {"cp", absl::StrCat(tree, "arch/x86/boot/bzImage"), absl::StrCat(kOut, "/bzImage")}});
  steps.push_back(
      {"collect", {"cp", absl::StrCat(tree, ".config"), absl::StrCat(kOut, "/config")}});
  steps.push_back({"collect",
                   {"cp", absl::StrCat(tree, "include/config/kernel.release"),
                    absl::StrCat(kOut, "/release")}});
  steps.push_back({"collect",
                   {"objcopy", "--output-target=binary", "--only-section=.notes",
                    absl::StrCat(tree, "vmlinux"), absl::StrCat(kOut, "/notes")}});
  return steps;
}

std::vector<std::string> StepEnvironment() {
  return {"PATH=/usr/bin:/bin:/usr/sbin:/sbin",
          "LC_ALL=C",
          "TZ=UTC",
          "HOME=/build",
          "GIT_CONFIG_NOSYSTEM=1",
          "TMPDIR=/tmp",
          "CCACHE_DIR=/ccache",
          "CCACHE_MAXSIZE=2G",
          "KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970",
          "KBUILD_BUILD_USER=shakedown",
          "KBUILD_BUILD_HOST=shakedown",
          "KBUILD_BUILD_VERSION=1"};
}

}  // namespace shakedown::kernels
