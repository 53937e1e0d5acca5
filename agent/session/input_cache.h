// Archives that loads read, on this host as disks for its guests: unpacked once, bounded in sum.
#ifndef SHAKEDOWN_AGENT_SESSION_INPUT_CACHE_H_
#define SHAKEDOWN_AGENT_SESSION_INPUT_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/farm_client.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

struct InputCacheOptions {
  std::string folder;  // Owned by the cache.
  uint64_t limit =
      uint64_t{8} << 30;  // Bytes of disks; the least recently used go first, pinned ones never.
};

// Thread-safe; one archive is unpacked at a time. Lives longer than its files.
class InputCache {
 public:
  virtual ~InputCache() = default;
  // A raw ext4 image of the archive's tree, its content checked in this process since its last
  // change. Errors name the input: those of ArtefactCache::Get for the archive, InvalidArgument and
  // OutOfRange of proto/wire/tree_archive.h.
  virtual absl::StatusOr<CachedFile> Get(const v1::Input& input,
                                         const std::atomic<bool>* cancel) = 0;
};

// Makes the folder, removes what an earlier process unpacked by half. `archives` gives the archives
// and outlives the cache, as does `farm`.
absl::StatusOr<std::unique_ptr<InputCache>> MakeInputCache(InputCacheOptions options,
                                                           ArtefactCache& archives,
                                                           FarmClient& farm);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_INPUT_CACHE_H_
