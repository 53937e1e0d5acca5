#include "agent/session/artefact_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kUnknownSizeLimit = 64 << 20;
constexpr char kHalf[] = ".half";

absl::Status Check(const v1::Artefact& artefact, uint64_t largest) {
  if (!IsSha256Hex(artefact.sha256())) {
    return absl::InvalidArgumentError(
        absl::StrCat("artefact ", Quoted(artefact.sha256()), ": want 64 lower-case hex digits"));
  }
  if (artefact.size() > largest) {
    return absl::InvalidArgumentError(absl::StrCat(
        "artefact ", artefact.sha256(), ": ", artefact.size(), " bytes, want at most ", largest));
  }
  return absl::OkStatus();
}

// What a file was when its content was checked; any write changes it.
struct Stamp {
  ino_t inode;
  off_t size;
  timespec mtime;
  bool operator==(const Stamp& other) const {
    return inode == other.inode && size == other.size && mtime.tv_sec == other.mtime.tv_sec &&
           mtime.tv_nsec == other.mtime.tv_nsec;
  }
};

absl::StatusOr<Stamp> StampOf(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return ErrnoStatus(errno, path);
  if (!S_ISREG(info.st_mode)) {
    return absl::DataLossError(absl::StrCat(path, ": not a regular file"));
  }
  return Stamp{info.st_ino, info.st_size, info.st_mtim};
}

// A file being written: gone unless Keep() was called.
class HalfFile {
 public:
  explicit HalfFile(std::string path) : path_(std::move(path)) {
    file_ = std::fopen(path_.c_str(), "wxe");
    error_ = file_ == nullptr ? errno : 0;
  }
  ~HalfFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!kept_) unlink(path_.c_str());
  }
  HalfFile(const HalfFile&) = delete;

  absl::Status Write(absl::string_view bytes) {
    if (file_ == nullptr) return ErrnoStatus(error_, path_);
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
      return ErrnoStatus(errno, path_);
    }
    sha_.Add(bytes);
    size_ += bytes.size();
    return absl::OkStatus();
  }
  uint64_t size() const { return size_; }
  std::string Digest() { return sha_.Finish(); }

  // On the disk, under its name.
  absl::Status Keep(const std::string& name) {
    if (file_ == nullptr) return ErrnoStatus(error_, path_);
    if (std::fflush(file_) != 0 || fdatasync(fileno(file_)) != 0) return ErrnoStatus(errno, path_);
    if (rename(path_.c_str(), name.c_str()) != 0) return ErrnoStatus(errno, name);
    kept_ = true;
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  FILE* file_;
  int error_;
  Sha256 sha_;
  uint64_t size_ = 0;
  bool kept_ = false;
};

class FolderCache : public ArtefactCache {
 public:
  FolderCache(ArtefactCacheOptions options, FarmClient& farm)
      : options_(std::move(options)), farm_(farm) {}

  absl::Status Open() {
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) return ErrnoStatus(error.value(), options_.folder);
    for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
      if (absl::EndsWith(entry.path().native(), kHalf)) fs::remove(entry.path(), error);
    }
    return error ? ErrnoStatus(error.value(), options_.folder) : absl::OkStatus();
  }

  absl::StatusOr<CachedFile> Get(const v1::Artefact& artefact,
                                 const std::atomic<bool>* cancel) override {
    RETURN_IF_ERROR(Check(artefact, options_.largest));
    const Turn turn(*this, artefact.sha256());
    absl::StatusOr<CachedFile> here = FindInTurn(artefact);
    if (here.ok() || !absl::IsNotFound(here.status())) return here;
    return Annotate(Fetch(artefact, cancel), absl::StrCat("artefact ", artefact.sha256()));
  }

  absl::StatusOr<CachedFile> Add(const v1::Artefact& artefact, const std::string& path) override {
    RETURN_IF_ERROR(Check(artefact, options_.largest));
    const Turn turn(*this, artefact.sha256());
    absl::StatusOr<CachedFile> here = FindInTurn(artefact);
    if (here.ok() || !absl::IsNotFound(here.status())) return here;
    return Annotate(Copy(artefact, path), absl::StrCat("artefact ", path));
  }

  absl::StatusOr<CachedFile> Find(const v1::Artefact& artefact) override {
    RETURN_IF_ERROR(Check(artefact, options_.largest));
    const Turn turn(*this, artefact.sha256());
    return FindInTurn(artefact);
  }

 private:
  // One thread works on one digest at a time.
  class Turn {
   public:
    Turn(FolderCache& cache, std::string sha256) : cache_(cache), sha256_(std::move(sha256)) {
      std::unique_lock<std::mutex> lock(cache_.mutex_);
      cache_.turn_ended_.wait(lock, [&] { return cache_.busy_.insert(sha256_).second; });
    }
    ~Turn() {
      {
        std::lock_guard<std::mutex> lock(cache_.mutex_);
        cache_.busy_.erase(sha256_);
      }
      cache_.turn_ended_.notify_all();
    }
    Turn(const Turn&) = delete;

   private:
    FolderCache& cache_;
    const std::string sha256_;
  };

  static absl::StatusOr<CachedFile> Annotate(absl::StatusOr<CachedFile> file,
                                             absl::string_view what) {
    if (file.ok()) return file;
    return shakedown::Annotate(file.status(), what);
  }

  std::string Path(const std::string& sha256) const {
    return absl::StrCat(options_.folder, "/", sha256);
  }

  // Pinned before it is looked at, so that nobody evicts it in between.
  CachedFile Pin(const std::string& sha256) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<void> pin = pins_[sha256].lock();
    if (pin == nullptr) {
      pin = std::make_shared<char>();
      pins_[sha256] = pin;
    }
    return CachedFile(Path(sha256), pin);
  }

  absl::StatusOr<CachedFile> FindInTurn(const v1::Artefact& artefact) {
    CachedFile file = Pin(artefact.sha256());
    absl::StatusOr<Stamp> stamp = StampOf(file.path());
    if (stamp.ok() && !IsChecked(artefact.sha256(), *stamp)) {
      absl::StatusOr<std::string> digest = Sha256File(file.path());
      if (!digest.ok() || *digest != artefact.sha256()) {
        stamp = absl::DataLossError("its content is not what its name says");
      }
    }
    const bool wrong_size =
        stamp.ok() && artefact.size() != 0 && static_cast<uint64_t>(stamp->size) != artefact.size();
    if (wrong_size) {
      return absl::InvalidArgumentError(absl::StrCat("artefact ", artefact.sha256(), ": size ",
                                                     artefact.size(),
                                                     " asked for, its content has ", stamp->size));
    }
    if (!stamp.ok()) {
      if (!absl::IsNotFound(stamp.status())) {
        spdlog::warn("artefact {} is damaged, removed: {}", file.path(), stamp.status().ToString());
        std::error_code ignored;
        fs::remove_all(file.path(), ignored);
      }
      return absl::NotFoundError(absl::StrCat("artefact ", artefact.sha256(), " is not here"));
    }
    MarkUsed(artefact.sha256(), *stamp);
    return file;
  }

  bool IsChecked(const std::string& sha256, const Stamp& stamp) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = checked_.find(sha256);
    return found != checked_.end() && found->second == stamp;
  }

  void MarkUsed(const std::string& sha256, const Stamp& stamp) {
    // The access time is the order of eviction, also after a restart.
    const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    utimensat(AT_FDCWD, Path(sha256).c_str(), times, AT_SYMLINK_NOFOLLOW);
    std::lock_guard<std::mutex> lock(mutex_);
    checked_[sha256] = stamp;
  }

  absl::StatusOr<CachedFile> Fetch(const v1::Artefact& artefact, const std::atomic<bool>* cancel) {
    RETURN_IF_ERROR(MakeRoom(artefact.size()));
    const uint64_t limit = artefact.size() != 0 ? artefact.size() : kUnknownSizeLimit;
    HalfFile half(absl::StrCat(Path(artefact.sha256()), ".", NewUuid(), kHalf));
    RETURN_IF_ERROR(half.Write(""));
    const absl::Status fetched =
        farm_.GetArtefact(artefact.sha256(), artefact.size(), [&](absl::string_view bytes) {
          if (cancel != nullptr && cancel->load()) return absl::CancelledError("cancelled");
          if (half.size() + bytes.size() > limit) {
            return absl::DataLossError(
                absl::StrCat("the farm sends more than ", limit, " bytes, want at most that"));
          }
          return WithNeed(half.Write(bytes), artefact.size());
        });
    RETURN_IF_ERROR(fetched);
    return Finish(artefact, half);
  }

  absl::StatusOr<CachedFile> Copy(const v1::Artefact& artefact, const std::string& path) {
    RETURN_IF_ERROR(MakeRoom(artefact.size()));
    std::unique_ptr<FILE, int (*)(FILE*)> from(std::fopen(path.c_str(), "rbe"), &std::fclose);
    if (from == nullptr) return ErrnoStatus(errno, path);
    HalfFile half(absl::StrCat(Path(artefact.sha256()), ".", NewUuid(), kHalf));
    std::vector<char> buffer(256 << 10);
    size_t got;
    while ((got = std::fread(buffer.data(), 1, buffer.size(), from.get())) > 0) {
      RETURN_IF_ERROR(WithNeed(half.Write(absl::string_view(buffer.data(), got)), artefact.size()));
    }
    if (std::ferror(from.get()) != 0) return ErrnoStatus(EIO, path);
    return Finish(artefact, half);
  }

  absl::StatusOr<CachedFile> Finish(const v1::Artefact& artefact, HalfFile& half) {
    const std::string digest = half.Digest();
    if (digest != artefact.sha256() || (artefact.size() != 0 && half.size() != artefact.size())) {
      return absl::DataLossError(absl::StrCat("got ", half.size(), " bytes with SHA-256 ", digest,
                                              ", want ", artefact.size(), " bytes with ",
                                              artefact.sha256()));
    }
    CachedFile file = Pin(artefact.sha256());
    RETURN_IF_ERROR(WithNeed(half.Keep(file.path()), artefact.size()));
    ASSIGN_OR_RETURN(const Stamp stamp, StampOf(file.path()));
    MarkUsed(artefact.sha256(), stamp);
    return file;
  }

  absl::Status WithNeed(const absl::Status& status, uint64_t size) const {
    if (!absl::IsResourceExhausted(status)) return status;
    const std::string need = size != 0 ? absl::StrCat(size, " bytes") : "an unknown size";
    return shakedown::Annotate(status, absl::StrCat("needs ", need, " in ", options_.folder));
  }

  // Evicts down to the limit, then asks the disk.
  absl::Status MakeRoom(uint64_t size) {
    struct Entry {
      timespec used;
      uint64_t size;
      std::string name;
    };
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Entry> entries;
    uint64_t sum = size;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
      struct stat info;
      const std::string name = entry.path().filename().native();
      if (!IsSha256Hex(name) || lstat(entry.path().c_str(), &info) != 0) continue;
      sum += info.st_size;
      entries.push_back({info.st_atim, static_cast<uint64_t>(info.st_size), name});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.used.tv_sec, a.used.tv_nsec) < std::tie(b.used.tv_sec, b.used.tv_nsec);
    });
    for (const Entry& entry : entries) {
      if (sum <= options_.limit) break;
      const auto pin = pins_.find(entry.name);
      if (pin != pins_.end() && !pin->second.expired()) continue;
      if (unlink(Path(entry.name).c_str()) != 0) continue;
      pins_.erase(entry.name);
      checked_.erase(entry.name);
      sum -= entry.size;
    }
    return CheckDisk(size);
  }

  absl::Status CheckDisk(uint64_t size) const {
    struct statvfs disk;
    if (statvfs(options_.folder.c_str(), &disk) != 0) return ErrnoStatus(errno, options_.folder);
    const uint64_t free = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free >= size) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("needs ", size, " bytes in ", options_.folder, ", where ", free, " are free"));
  }

  const ArtefactCacheOptions options_;
  FarmClient& farm_;
  std::mutex mutex_;
  std::condition_variable turn_ended_;
  std::set<std::string> busy_;
  std::map<std::string, std::weak_ptr<void>> pins_;
  std::map<std::string, Stamp> checked_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ArtefactCache>> MakeArtefactCache(ArtefactCacheOptions options,
                                                                 FarmClient& farm) {
  auto cache = std::make_unique<FolderCache>(std::move(options), farm);
  RETURN_IF_ERROR(cache->Open());
  return cache;
}

}  // namespace shakedown::agent
