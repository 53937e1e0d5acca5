// Which kernel a result is of: its place in the order of versions, and what else its name says.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_KERNEL_KEY_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_KERNEL_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::history {

// What was built of a variant, as the build says.
struct BuiltKernel {
  v1::Kernel kernel;           // As resolved.
  std::string source_version;  // "linux-source-6.12 6.12.117-1~deb12u1 sha256:…".
  std::string release;         // `uname -r`.
  std::string build_key;
};

// The order key (order_key.h) of a kernel: the version of its Debian package, else its release
// without what the farm appends to it. A git commit follows ("6.12.0-rc3-00123-gabcdef012345": the
// number of commits since the tag orders those of one branch, a plain release is given its commit),
// and the build of a local tree, which has no version of its own. Empty: not known.
std::string VersionOf(const BuiltKernel& built);

// The order key of a kernel of which there is the name alone: what stands from its version on,
// "6.12-hz1000" of "debian-6.12-hz1000"; a name without a version whole.
std::string VersionInName(absl::string_view name);

// "debian-hz1000 nohz=off" of "debian-6.12-hz1000 nohz=off": the name without its version, and the
// variant's settings. Kernels of one class differ in their version alone. "-" where nothing is
// left.
std::string ClassOf(const v1::Variant& variant);

// Whether `name` matches `pattern`, in which * stands for any text and ? for any character.
bool Matches(absl::string_view pattern, absl::string_view name);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_KERNEL_KEY_H_
