// Debian packages by their ordinary clients: apt-get, apt-cache, dpkg. Nothing is installed.
#ifndef SHAKEDOWN_AGENT_BUILD_DEBIAN_H_
#define SHAKEDOWN_AGENT_BUILD_DEBIAN_H_

#include <atomic>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

struct DebianPackage {
  std::string name;
  std::string version;
};

// Runs the tools; `log` gets what they print. One owner, not thread-safe.
class Debian {
 public:
  Debian(const std::atomic<bool>* cancel, std::function<void(absl::string_view)> log)
      : cancel_(cancel), log_(std::move(log)) {}

  // The version of an installed package; NotFound when it is not.
  absl::StatusOr<std::string> InstalledVersion(const std::string& name);

  // The package and version that would be fetched: `version`, or the newest. Refreshes apt's lists
  // once when the package is not in them and we are root. InvalidArgument: apt has no such package
  // or version.
  absl::StatusOr<DebianPackage> Find(const std::string& name, const std::string& version);

  // A meta package (linux-image-cloud-amd64) followed to the package with the kernel in it.
  absl::StatusOr<DebianPackage> FindImage(const std::string& name, const std::string& version);

  // Fetches the package, checked by apt against the archive's signatures, into `folder`, and gives
  // the file's path. Not fetched again when it is there.
  absl::StatusOr<std::string> Fetch(const DebianPackage& package, const std::string& folder);

  // Unpacks a package file into `folder`, which is made.
  absl::Status Unpack(const std::string& file, const std::string& folder);

 private:
  absl::StatusOr<std::string> Run(std::vector<std::string> argv, const std::string& folder = "");
  absl::StatusOr<std::string> Candidate(const std::string& name);

  const std::atomic<bool>* cancel_;
  std::function<void(absl::string_view)> log_;
  bool refreshed_ = false;
};

// The pure parts.
// "Candidate: 6.1.192-3" of `apt-cache policy`; empty: none, or no such package.
std::string CandidateOf(absl::string_view policy);
// The first "Depends: linux-image-…" of `apt-cache depends`; empty: it is no meta package.
std::string ImageDependency(absl::string_view depends);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_DEBIAN_H_
