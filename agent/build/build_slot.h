// A place where kernels are built, one at a time.
#ifndef SHAKEDOWN_AGENT_BUILD_BUILD_SLOT_H_
#define SHAKEDOWN_AGENT_BUILD_BUILD_SLOT_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::agent {

// Called in Run's thread; outlive the call.
struct BuildHooks {
  std::function<void(absl::string_view phase, float fraction)> progress;
  std::function<void(absl::string_view bytes)> log;  // Already bounded in total.
  const std::atomic<bool>* cancel = nullptr;
  // Gives the path of a file with this digest (a patch), fetched from the farm if need be.
  std::function<absl::StatusOr<std::string>(const std::string& sha256)> fetch_artefact;
};

struct BuildOutcome {
  v1::BuildResult result;  // build_id, epoch, status always set.
  // Set when BUILT: files that stay until the next CleanUp() or Run(); digests as in the result.
  std::string image_path;
  std::string initramfs_path;  // Empty: none.
  std::string config_path;
  std::string modules_path;  // Empty: none.
};

struct BuildSlotOptions {
  std::string folder;  // Sources, trees and finished builds live here; owned by the slot.
  std::string ccache;  // ccache folder for kernels.
  std::string
      runner_path;    // The static shakedown-runner: /init of initramfs images for ready kernels.
  uint32_t jobs = 0;  // make -j; 0: online CPUs.
};

// One owner, not thread-safe.
class BuildSlot {
 public:
  virtual ~BuildSlot() = default;
  // Never fails itself: every error is a BuildResult with the kernel's or the farm's fault told
  // apart.
  virtual BuildOutcome Run(const v1::BuildOrder& order, const BuildHooks& hooks) = 0;
  // OK when the sandbox works here; else what is missing and how to get it.
  virtual absl::Status CheckSandbox() = 0;
  // Ends and removes half builds of an earlier process. Idempotent; called before the first Run.
  virtual absl::Status CleanUp() = 0;
};

std::unique_ptr<BuildSlot> MakeBuildSlot(BuildSlotOptions options);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_BUILD_SLOT_H_
