#include "agent/laptop/boot/modules_tree.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/tree_archive.h"

namespace shakedown::laptop {
namespace {

constexpr TreeLimits kLimits{.bytes = uint64_t{4} << 30, .entries = 60'000};
constexpr uint64_t kOverhead = 4096;  // Of a file: half a block unused, inode, folder entry.

// Sees only what is below lib/modules/RELEASE; `disk` may be null: then nothing is written.
class Unpacker : public TreeVisitor {
 public:
  Unpacker(Disk* disk, const std::string& release, std::string to)
      : disk_(disk), prefix_(absl::StrCat("lib/modules/", release)), to_(std::move(to)) {}

  absl::Status Entry(const TreeEntry& entry) override {
    const bool folder = entry.kind == TreeEntry::Kind::kFolder;
    if (folder &&
        (entry.path == prefix_ || absl::StartsWith(prefix_, absl::StrCat(entry.path, "/")))) {
      return absl::OkStatus();
    }
    if (!absl::StartsWith(entry.path, absl::StrCat(prefix_, "/"))) {
      return absl::InvalidArgumentError(
          absl::StrCat("modules: ", Quoted(entry.path), ": want all below ", prefix_));
    }
    if (!folder && entry.kind != TreeEntry::Kind::kFile) {
      return absl::InvalidArgumentError(
          absl::StrCat("modules: ", Quoted(entry.path), ": a link, want files and folders"));
    }
    if (disk_ == nullptr) return absl::OkStatus();
    path_ = absl::StrCat(to_, entry.path.substr(prefix_.size()));
    return folder ? disk_->MakeFolder(path_, 0755) : disk_->Create(path_, 0644);
  }

  absl::Status Data(absl::string_view piece) override {
    return disk_ == nullptr ? absl::OkStatus() : disk_->Append(path_, piece);
  }

 private:
  Disk* const disk_;
  const std::string prefix_;
  const std::string to_;
  std::string path_;
};

}  // namespace

absl::StatusOr<uint64_t> MeasureModules(const std::string& archive, const std::string& release) {
  Unpacker unpacker(nullptr, release, "");
  ASSIGN_OR_RETURN(const TreeShape shape, ReadTree(archive, kLimits, nullptr, &unpacker));
  return shape.bytes + shape.entries * kOverhead;
}

absl::Status UnpackModules(Disk& disk, const std::string& archive, const std::string& release,
                           const std::string& to) {
  Unpacker unpacker(&disk, release, to);
  return ReadTree(archive, kLimits, nullptr, &unpacker).status();
}

}  // namespace shakedown::laptop
