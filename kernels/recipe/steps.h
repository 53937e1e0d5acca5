#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

// A kernel as a list of programs to run, each inside the sandbox of agent/build. The sandbox shows
// the same paths for every build, so no path of the host gets into the bytes:
//   /in     read-only: source (an archive, or a folder), patch-1 …, base.config, wishes
//   /build  the only writable folder: linux (the tree), modules, out (what is handed back)
inline constexpr char kTree[] = "/build/linux";
inline constexpr char kModulesFolder[] = "/build/modules";
inline constexpr char kOut[] = "/build/out";

struct Step {
  std::string name;  // For messages: "unpack the source", "patch 2 (fix.patch)", "compile".
  std::vector<std::string> argv;
};

enum class SourceForm {
  kArchive,  // /in/source is a tar, in any compression that tar knows, with one top folder.
  kGit,      // /in/source is a git repository that has the commit.
  kFolder,   // /in/source is a source tree, perhaps one that was built in.
};

// Made by the steps of kFolder: the tree as it is built, sorted, without times and owners. Its
// SHA-256 is the digest of the source; whoever runs the steps reads it and may remove it.
inline constexpr char kTreeTar[] = "/build/tree.tar";

struct Tools {
  std::string compiler = "gcc";
  bool ccache = false;
};

// From the input files to a patched and configured tree with its final .config.
std::vector<Step> PrepareSteps(const v1::Kernel& kernel, SourceForm form, const Tools& tools);

// From there to /build/out/{bzImage,config,release,notes} and, with `modules`,
// /build/modules/lib/modules/RELEASE.
std::vector<Step> CompileSteps(absl::string_view build_key, int jobs, bool modules,
                               const Tools& tools);

// The whole environment of every step: everything that gets into a kernel's bytes is fixed.
std::vector<std::string> StepEnvironment();

}  // namespace shakedown::kernels
