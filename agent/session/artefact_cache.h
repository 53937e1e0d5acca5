// Artefacts on this host: files named by their SHA-256, fetched from the farm, bounded in sum.
#ifndef SHAKEDOWN_AGENT_SESSION_ARTEFACT_CACHE_H_
#define SHAKEDOWN_AGENT_SESSION_ARTEFACT_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/session/farm_client.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

// A file that stays, unchanged by us, while this object or a copy of it lives.
class CachedFile {
 public:
  CachedFile() = default;
  CachedFile(std::string path, std::shared_ptr<void> pin)
      : path_(std::move(path)), pin_(std::move(pin)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::shared_ptr<void> pin_;
};

struct ArtefactCacheOptions {
  std::string folder;  // Owned by the cache.
  uint64_t limit =
      uint64_t{4} << 30;  // Bytes; the least recently used files go first, pinned ones never.
  uint64_t largest = uint64_t{2} << 30;  // Bytes of one file.
};

// Thread-safe. The same artefact is fetched by one caller at a time. Lives longer than its files.
class ArtefactCache {
 public:
  virtual ~ArtefactCache() = default;
  // The artefact's file, its content checked in this process since its last change; damaged or
  // absent: fetched from the farm. `size` 0: not known, at most 64 MiB then.
  // ResourceExhausted: the disk is full, with the bytes needed.  DataLoss: the farm sent other
  // bytes.  Cancelled: `cancel` (may be null) became true.  Others: the farm's.
  virtual absl::StatusOr<CachedFile> Get(const v1::Artefact& artefact,
                                         const std::atomic<bool>* cancel) = 0;
  // Takes a copy of a file made here. DataLoss when it is not the artefact.
  virtual absl::StatusOr<CachedFile> Add(const v1::Artefact& artefact, const std::string& path) = 0;
  // The artefact's file if it is here and sound; NotFound else. Asks nobody.
  virtual absl::StatusOr<CachedFile> Find(const v1::Artefact& artefact) = 0;
};

// Makes the folder, removes half-fetched files of an earlier process.
absl::StatusOr<std::unique_ptr<ArtefactCache>> MakeArtefactCache(ArtefactCacheOptions options,
                                                                 FarmClient& farm);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_ARTEFACT_CACHE_H_
