#include "agent/session/input_cache.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/inputs/tree_disk.h"
#include "agent/inputs/unpack_tree.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestDisk = uint64_t{16} << 30;

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? ErrnoStatus(error.value(), path) : absl::OkStatus();
}

// The disks are artefacts of a cache of their own: what they are is kept beside them, by their
// archives' digests.
class FolderInputs : public InputCache {
 public:
  FolderInputs(InputCacheOptions options, ArtefactCache& archives)
      : options_(std::move(options)), archives_(archives) {}

  absl::Status Open(FarmClient& farm) {
    RETURN_IF_ERROR(MakeFolder(IndexFolder()));
    RETURN_IF_ERROR(RemoveWork());
    ASSIGN_OR_RETURN(disks_, MakeArtefactCache({.folder = options_.folder + "/disks",
                                                .limit = options_.limit,
                                                .largest = kLargestDisk},
                                               farm));
    return absl::OkStatus();
  }

  absl::StatusOr<CachedFile> Get(const v1::Input& input, const std::atomic<bool>* cancel) override {
    const std::string what = absl::StrCat("input ", Quoted(input.name()));
    if (!IsSha256Hex(input.archive().sha256())) {
      return absl::InvalidArgumentError(absl::StrCat(
          what, ": digest ", Quoted(input.archive().sha256()), ", want 64 lower-case hex digits"));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    absl::StatusOr<CachedFile> disk = Find(input.archive().sha256());
    if (disk.ok()) return disk;
    disk = Make(input, cancel);
    const absl::Status removed = RemoveWork();
    if (!removed.ok()) spdlog::warn("{}: {}", what, removed.ToString());
    if (!disk.ok()) return Annotate(disk.status(), what);
    return disk;
  }

 private:
  std::string IndexFolder() const { return options_.folder + "/index"; }
  std::string WorkFolder() const { return options_.folder + "/work"; }

  absl::Status RemoveWork() const {
    std::error_code error;
    fs::remove_all(WorkFolder(), error);
    return error ? ErrnoStatus(error.value(), WorkFolder()) : absl::OkStatus();
  }

  // "DIGEST SIZE" of the disk. A damaged line is as good as none.
  absl::StatusOr<CachedFile> Find(const std::string& sha256) {
    ASSIGN_OR_RETURN(const std::string line,
                     ReadFile(absl::StrCat(IndexFolder(), "/", sha256), 200));
    const std::pair<std::string, std::string> words = absl::StrSplit(line, ' ');
    v1::Artefact disk;
    uint64_t size = 0;
    if (!absl::SimpleAtoi(words.second, &size)) return absl::NotFoundError("no disk is known");
    disk.set_sha256(words.first);
    disk.set_size(size);
    return disks_->Find(disk);
  }

  absl::StatusOr<CachedFile> Make(const v1::Input& input, const std::atomic<bool>* cancel) {
    const std::string& sha256 = input.archive().sha256();
    const std::string tree_folder = WorkFolder() + "/tree", image = WorkFolder() + "/disk";
    RETURN_IF_ERROR(MakeFolder(tree_folder));
    ASSIGN_OR_RETURN(const CachedFile archive, archives_.Get(input.archive(), cancel));
    ASSIGN_OR_RETURN(const UnpackedTree tree, UnpackTree(archive.path(), tree_folder, {}, cancel));
    RETURN_IF_ERROR(MakeTreeDisk(tree, sha256, image, cancel));
    v1::Artefact disk;
    ASSIGN_OR_RETURN(*disk.mutable_sha256(), Sha256File(image));
    disk.set_size(fs::file_size(image));
    ASSIGN_OR_RETURN(CachedFile file, disks_->Add(disk, image));
    RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(IndexFolder(), "/", sha256),
                                        absl::StrCat(disk.sha256(), " ", disk.size())));
    spdlog::info("input {}: {} files and folders on a disk of {} MiB", input.name(), tree.inodes,
                 disk.size() >> 20);
    return file;
  }

  const InputCacheOptions options_;
  ArtefactCache& archives_;
  std::unique_ptr<ArtefactCache> disks_;
  std::mutex mutex_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InputCache>> MakeInputCache(InputCacheOptions options,
                                                           ArtefactCache& archives,
                                                           FarmClient& farm) {
  auto inputs = std::make_unique<FolderInputs>(std::move(options), archives);
  RETURN_IF_ERROR(inputs->Open(farm));
  return inputs;
}

}  // namespace shakedown::agent
