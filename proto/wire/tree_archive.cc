#include "proto/wire/tree_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

using Kind = TreeEntry::Kind;
using Parts = std::vector<std::string>;

constexpr size_t kBlock = 256 << 10;
constexpr size_t kMaxPath = 2048, kMaxPart = 255, kMaxTarget = 1024;
constexpr int kMaxHops = 40;  // As the kernel's; a chain longer than that leads nowhere.

struct Free {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Reader = std::unique_ptr<archive, Free>;

absl::Status Bad(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("entry ", Quoted(path), ": ", what));
}

absl::Status Damaged(archive* reader) {
  const char* why = archive_error_string(reader);
  return absl::InvalidArgumentError(
      absl::StrCat("no tar archive (plain, gzip, xz or zstd), or a damaged one: ",
                   PrintableLine(why == nullptr ? "its end is missing" : why, 200)));
}

absl::StatusOr<Reader> Open(const std::string& path) {
  Reader reader(archive_read_new());
  if (reader == nullptr) return absl::ResourceExhaustedError("no memory to read an archive");
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  archive_read_support_format_tar(reader.get());
  // Names are bytes, whatever the locale of this process is.
  archive_read_set_options(reader.get(), "hdrcharset=BINARY");
  if (archive_read_open_filename(reader.get(), path.c_str(), kBlock) == ARCHIVE_OK) return reader;
  const int error = archive_errno(reader.get());
  if (error == ENOENT || error == EACCES || error == EIO) return ErrnoStatus(error, path);
  return Damaged(reader.get());
}

// "./a//b/" is a, b.
absl::StatusOr<Parts> PartsOf(const char* name) {
  const absl::string_view path = name == nullptr ? "" : name;
  if (path.empty() || path.size() > kMaxPath) {
    return Bad(path, absl::StrCat("its path has ", path.size(), " bytes, want 1 to ", kMaxPath));
  }
  if (path[0] == '/') return Bad(path, "an absolute path, want one relative to the tree");
  Parts parts;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return Bad(path, "its path has \"..\", want none");
    if (part.size() > kMaxPart) return Bad(path, "a name of more than 255 bytes");
    const auto control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
    if (std::any_of(part.begin(), part.end(), control)) return Bad(path, "a control character");
    parts.emplace_back(part);
  }
  return parts;
}

class TreeReader {
 public:
  TreeReader(const TreeLimits& limits, const std::atomic<bool>* cancel, TreeVisitor* visitor)
      : limits_(limits), cancel_(cancel), visitor_(visitor) {}

  absl::StatusOr<TreeShape> Read(const std::string& path) {
    ASSIGN_OR_RETURN(const Reader reader, Open(path));
    for (;;) {
      RETURN_IF_ERROR(CheckCancel());
      archive_entry* entry = nullptr;
      const int got = archive_read_next_header(reader.get(), &entry);
      if (got == ARCHIVE_EOF) break;
      if (got != ARCHIVE_OK && got != ARCHIVE_WARN) return Damaged(reader.get());
      RETURN_IF_ERROR(Take(reader.get(), entry));
    }
    if (kinds_.empty()) return absl::InvalidArgumentError("an archive without a file");
    FindTop();
    for (const auto& [link, target] : links_) RETURN_IF_ERROR(CheckLink(link, target));
    return shape_;
  }

 private:
  absl::Status CheckCancel() const {
    if (cancel_ == nullptr || !cancel_->load()) return absl::OkStatus();
    return absl::CancelledError("cancelled");
  }

  absl::Status Take(archive* reader, archive_entry* raw) {
    ASSIGN_OR_RETURN(const Parts parts, PartsOf(archive_entry_pathname(raw)));
    if (parts.empty()) {  // The tree itself: "./".
      if (archive_entry_filetype(raw) == AE_IFDIR) return absl::OkStatus();
      return Bad(archive_entry_pathname(raw), "a file without a name");
    }
    TreeEntry entry;
    entry.path = absl::StrJoin(parts, "/");
    entry.executable = (archive_entry_perm(raw) & S_IXUSR) != 0;
    entry.mtime_s = std::clamp<int64_t>(archive_entry_mtime(raw), 0, 0x7FFFFFFF);
    RETURN_IF_ERROR(SetKind(raw, entry));
    RETURN_IF_ERROR(AddParents(parts));
    ASSIGN_OR_RETURN(const bool fresh, Add(entry.path, entry.kind));
    if (!fresh) return absl::OkStatus();
    if (entry.kind == Kind::kSymbolicLink) links_[entry.path] = entry.target;
    if (visitor_ != nullptr) RETURN_IF_ERROR(visitor_->Entry(entry));
    return entry.kind == Kind::kFile ? TakeData(reader, raw, entry.path) : absl::OkStatus();
  }

  absl::Status SetKind(archive_entry* raw, TreeEntry& entry) const {
    if (const char* target = archive_entry_hardlink(raw); target != nullptr) {
      ASSIGN_OR_RETURN(const Parts parts, PartsOf(target));
      entry.kind = Kind::kHardLink;
      entry.target = absl::StrJoin(parts, "/");
      const auto found = kinds_.find(entry.target);
      if (found != kinds_.end() && found->second == Kind::kFile) return absl::OkStatus();
      return Bad(entry.path, absl::StrCat("a hard link to ", Quoted(entry.target),
                                          ", want one to a file that stands before it"));
    }
    switch (archive_entry_filetype(raw)) {
      case AE_IFREG:
        entry.kind = Kind::kFile;
        return absl::OkStatus();
      case AE_IFDIR:
        entry.kind = Kind::kFolder;
        return absl::OkStatus();
      case AE_IFLNK: {
        const char* target = archive_entry_symlink(raw);
        entry.kind = Kind::kSymbolicLink;
        entry.target = target == nullptr ? "" : target;
        if (!entry.target.empty() && entry.target.size() <= kMaxTarget) return absl::OkStatus();
        return Bad(entry.path, absl::StrCat("a link to a path of ", entry.target.size(),
                                            " bytes, want 1 to ", kMaxTarget));
      }
      default:
        return Bad(entry.path,
                   "a device, pipe or socket; files, folders and links inside the tree are wanted");
    }
  }

  // Folders that the archive only implies.
  absl::Status AddParents(const Parts& parts) {
    std::string path;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      absl::StrAppend(&path, i == 0 ? "" : "/", parts[i]);
      const auto found = kinds_.find(path);
      if (found != kinds_.end() && found->second == Kind::kFolder) continue;
      if (found != kinds_.end()) {
        return Bad(absl::StrJoin(parts, "/"),
                   absl::StrCat("stands below ", Quoted(path), ", which is no folder"));
      }
      RETURN_IF_ERROR(Add(path, Kind::kFolder).status());
      if (visitor_ == nullptr) continue;
      TreeEntry folder;
      folder.kind = Kind::kFolder;
      folder.path = path;
      RETURN_IF_ERROR(visitor_->Entry(folder));
    }
    return absl::OkStatus();
  }

  // False: a folder that is known.
  absl::StatusOr<bool> Add(const std::string& path, Kind kind) {
    const auto [place, added] = kinds_.try_emplace(path, kind);
    if (!added) {
      if (kind == Kind::kFolder && place->second == Kind::kFolder) return false;
      return Bad(path, "is there twice, or both a folder and something else");
    }
    if (++shape_.entries <= limits_.entries) return true;
    return absl::OutOfRangeError(
        absl::StrCat("more than ", limits_.entries, " files and folders, want at most that"));
  }

  absl::Status TooLarge() const {
    return absl::OutOfRangeError(
        absl::StrCat("files of more than ", limits_.bytes >> 20, " MiB in all, want at most that"));
  }

  absl::Status TakeData(archive* reader, archive_entry* raw, const std::string& path) {
    const int64_t announced = archive_entry_size(raw);
    if (announced < 0 || static_cast<uint64_t>(announced) > limits_.bytes - shape_.bytes) {
      return TooLarge();
    }
    std::vector<char> buffer(kBlock);
    for (;;) {
      RETURN_IF_ERROR(CheckCancel());
      const la_ssize_t got = archive_read_data(reader, buffer.data(), buffer.size());
      if (got == 0) return absl::OkStatus();
      if (got < 0) return Annotate(Damaged(reader), absl::StrCat("entry ", Quoted(path)));
      if (static_cast<uint64_t>(got) > limits_.bytes - shape_.bytes) return TooLarge();
      shape_.bytes += static_cast<uint64_t>(got);
      if (visitor_ == nullptr) continue;
      RETURN_IF_ERROR(visitor_->Data(absl::string_view(buffer.data(), static_cast<size_t>(got))));
    }
  }

  void FindTop() {
    const std::string& first = kinds_.begin()->first;
    const std::string top = first.substr(0, first.find('/'));
    const std::string below = absl::StrCat(top, "/");
    const bool alone =
        kinds_.size() > 1 && std::all_of(kinds_.begin(), kinds_.end(), [&](const auto& item) {
          return item.first == top || absl::StartsWith(item.first, below);
        });
    if (alone && kinds_.at(top) == Kind::kFolder) shape_.top = top;
  }

  // Walks as the kernel would, through other links too. What leads nowhere is harmless.
  absl::Status CheckLink(const std::string& link, const std::string& target) const {
    Parts at = absl::StrSplit(link, '/');
    at.pop_back();
    std::deque<std::string> rest = absl::StrSplit(target, '/');
    const size_t root = shape_.top.empty() ? 0 : 1;
    const absl::Status out =
        Bad(link, absl::StrCat("a link out of the tree, to ", Quoted(target), ", want none"));
    if (target[0] == '/') return out;
    for (int hops = 0; !rest.empty();) {
      const std::string part = std::move(rest.front());
      rest.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (at.size() <= root) return out;
        at.pop_back();
        continue;
      }
      at.push_back(part);
      const auto next = links_.find(absl::StrJoin(at, "/"));
      if (next == links_.end()) continue;
      if (++hops > kMaxHops) return absl::OkStatus();
      if (next->second[0] == '/') return out;
      at.pop_back();
      const std::vector<std::string> more = absl::StrSplit(next->second, '/');
      rest.insert(rest.begin(), more.begin(), more.end());
    }
    return absl::OkStatus();
  }

  const TreeLimits limits_;
  const std::atomic<bool>* const cancel_;
  TreeVisitor* const visitor_;
  std::map<std::string, Kind> kinds_;
  std::map<std::string, std::string> links_;
  TreeShape shape_;
};

}  // namespace

absl::StatusOr<TreeShape> ReadTree(const std::string& archive, const TreeLimits& limits,
                                   const std::atomic<bool>* cancel, TreeVisitor* visitor) {
  return TreeReader(limits, cancel, visitor).Read(archive);
}

}  // namespace shakedown
