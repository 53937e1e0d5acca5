// Finished builds on this host, by build key, and what is remembered from one build for the next.
#ifndef SHAKEDOWN_AGENT_BUILD_BUILD_STORE_H_
#define SHAKEDOWN_AGENT_BUILD_BUILD_STORE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/build/build_slot.h"

namespace shakedown::agent {

struct BuiltFiles {
  std::string image;
  std::string initramfs;  // Empty: none.
  std::string config;
  std::string
      modules_path;  // A packed file on the store's file system, which takes it. Empty: none.
};

// One owner, not thread-safe. Whatever is half there is never found.
class BuildStore {
 public:
  explicit BuildStore(std::string folder);

  // The finished build of this key, its files compared with their digests. NotFound: none, or one
  // that no longer matches (which is removed), so build it.
  absl::StatusOr<BuildOutcome> Find(const std::string& build_key);

  // Keeps the files under result.build_key(), fills in the digests, and gives what Find() gives.
  absl::StatusOr<BuildOutcome> Put(v1::BuildResult result, const BuiltFiles& files);

  // What the same request came to last time: a build key, or a number of objects. Empty or 0: not
  // known.
  std::string Recall(const std::string& what);
  void Remember(const std::string& what, const std::string& value);

  // Removes half-written builds, and the oldest finished ones over `keep`.
  absl::Status CleanUp(size_t keep);

 private:
  std::string Path(absl::string_view build_key) const;
  std::string folder_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_BUILD_STORE_H_
