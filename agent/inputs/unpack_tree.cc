#include "agent/inputs/unpack_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr size_t kInlineLink = 60;  // ext4 keeps a shorter target in the inode.

uint64_t Blocks(uint64_t bytes) { return (bytes + kBlock - 1) / kBlock; }

// ReadTree has checked that every parent is a folder that this object has made: no path leads
// through a link.
class Writer : public TreeVisitor {
 public:
  explicit Writer(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Entry(const TreeEntry& entry) override {
    RETURN_IF_ERROR(EndFile());
    const std::string path = absl::StrCat(folder_, "/", entry.path);
    ++tree_.inodes;
    directory_bytes_ += 12 + entry.path.size() - (entry.path.rfind('/') + 1);
    switch (entry.kind) {
      case TreeEntry::Kind::kFolder:
        ++tree_.blocks;
        folders_.emplace_back(path, entry.mtime_s);
        return Done(mkdir(path.c_str(), 0755), path);
      case TreeEntry::Kind::kSymbolicLink:
        if (entry.target.size() >= kInlineLink) ++tree_.blocks;
        RETURN_IF_ERROR(Done(symlink(entry.target.c_str(), path.c_str()), path));
        return SetTime(path, entry.mtime_s);
      case TreeEntry::Kind::kHardLink:
        --tree_.inodes;
        return Done(link(absl::StrCat(folder_, "/", entry.target).c_str(), path.c_str()), path);
      case TreeEntry::Kind::kFile:
        break;
    }
    const mode_t mode = entry.executable ? 0755 : 0644;
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = Descriptor(open(path.c_str(), kFlags, mode));
    if (file_.get() < 0) return ErrnoStatus(errno, path);
    file_path_ = path;
    file_time_ = entry.mtime_s;
    return Done(fchmod(file_.get(), mode), path);  // Whatever our umask is.
  }

  absl::Status Data(absl::string_view piece) override {
    file_bytes_ += piece.size();
    while (!piece.empty()) {
      const ssize_t wrote = write(file_.get(), piece.data(), piece.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return ErrnoStatus(errno, file_path_);
      piece.remove_prefix(static_cast<size_t>(wrote));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<UnpackedTree> Finish(const TreeShape& shape) {
    RETURN_IF_ERROR(EndFile());
    // Last, and what is inside first: making a file changes its folder's time.
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
      RETURN_IF_ERROR(Done(chmod(folder->first.c_str(), 0755), folder->first));
      RETURN_IF_ERROR(SetTime(folder->first, folder->second));
    }
    tree_.blocks += Blocks(directory_bytes_ * 2);  // Blocks of directories are half full at worst.
    tree_.folder = shape.top.empty() ? folder_ : absl::StrCat(folder_, "/", shape.top);
    return tree_;
  }

 private:
  static absl::Status Done(int result, const std::string& path) {
    return result == 0 ? absl::OkStatus() : ErrnoStatus(errno, path);
  }

  static absl::Status SetTime(const std::string& path, int64_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    return Done(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), path);
  }

  absl::Status EndFile() {
    if (file_.get() < 0) return absl::OkStatus();
    file_.Close();
    tree_.blocks += Blocks(std::exchange(file_bytes_, 0));
    return SetTime(file_path_, file_time_);
  }

  const std::string folder_;
  UnpackedTree tree_;
  std::vector<std::pair<std::string, int64_t>> folders_;
  uint64_t directory_bytes_ = 0;
  Descriptor file_;
  std::string file_path_;
  int64_t file_time_ = 0;
  uint64_t file_bytes_ = 0;
};

}  // namespace

absl::StatusOr<UnpackedTree> UnpackTree(const std::string& archive, const std::string& folder,
                                        const TreeLimits& limits, const std::atomic<bool>* cancel) {
  Writer writer(folder);
  ASSIGN_OR_RETURN(const TreeShape shape, ReadTree(archive, limits, cancel, &writer));
  return writer.Finish(shape);
}

}  // namespace shakedown::agent
