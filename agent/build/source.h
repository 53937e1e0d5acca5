// Where a kernel's source comes from, as one file or folder on this host that may be unpacked.
#ifndef SHAKEDOWN_AGENT_BUILD_SOURCE_H_
#define SHAKEDOWN_AGENT_BUILD_SOURCE_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/build/debian.h"
#include "kernels/recipe/steps.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::agent {

struct Source {
  std::string path;
  kernels::SourceForm form = kernels::SourceForm::kArchive;
  // "sha256:…" or "git:…": part of the build key. Empty for a local tree: known once it is copied.
  std::string digest;
  std::string version;  // For people: "linux-source-6.12 6.12.117-1~deb12u1".
};

struct SourceContext {
  std::string folder;  // Kept between builds: packages, tarballs by digest, git mirrors.
  Debian* debian = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(absl::string_view)> log;
  std::function<absl::StatusOr<std::string>(const std::string& sha256)> fetch_artefact;
};

// The source, its digest verified before anybody unpacks it. InvalidArgument: another digest, no
// such package or commit: the entry's fault. NotFound, Unavailable, ResourceExhausted: the host's.
absl::StatusOr<Source> FetchSource(const v1::Kernel& kernel, const SourceContext& context);

// The patches of a resolved kernel in order, verified, unpacked (.gz, .bz2, .xz). Errors as
// FetchSource, naming the patch.
absl::StatusOr<std::vector<std::string>> FetchPatches(const v1::ResolvedKernel& resolved,
                                                      const SourceContext& context);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_SOURCE_H_
