#include "agent/build/hostile_files.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

int OpenBeneath(int folder, const char* path) {
  open_how how = {};
  // Non-blocking: a named pipe with no writer must not hold us; it is refused right after.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, path, &how, sizeof how));
}

int OpenFolder(const std::string& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Why `path` could not be opened, from errno.
absl::Status NotOpened(const std::string& shown) {
  if (errno == ELOOP || errno == EXDEV || errno == EISDIR || errno == ENXIO) {
    return absl::InvalidArgumentError(absl::StrCat(shown, ": want a regular file, no link"));
  }
  return ErrnoStatus(errno, shown);
}

class Lister {
 public:
  Lister(const std::string& folder, size_t limit, const std::vector<std::string>& left_out)
      : folder_(folder), limit_(limit), left_out_(left_out), root_(OpenFolder(folder)) {}

  absl::Status Add(const std::string& path, int depth) {
    const std::string shown = absl::StrCat(folder_, "/", path);
    if (root_.get() < 0) return ErrnoStatus(errno, folder_);
    if (files_.size() >= limit_ || depth > kDeepest) {
      return absl::OutOfRangeError(
          absl::StrCat(shown, ": more than ", limit_, " entries, or ", kDeepest, " levels"));
    }
    Descriptor file(OpenBeneath(root_.get(), path.c_str()));
    if (file.get() < 0) return NotOpened(shown);
    struct stat info;
    if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, shown);
    const bool folder = S_ISDIR(info.st_mode);
    if (!folder && !S_ISREG(info.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat(shown, ": want a file or a folder"));
    }
    files_.push_back({path, folder, folder ? 0 : static_cast<uint64_t>(info.st_size)});
    if (!folder) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::set<std::string> names, Names(file, shown));
    for (const std::string& name : names) {
      const std::string inner = absl::StrCat(path, "/", name);
      if (std::count(left_out_.begin(), left_out_.end(), inner) > 0) continue;
      RETURN_IF_ERROR(Add(inner, depth + 1));
    }
    return absl::OkStatus();
  }

  std::vector<FileBeneath> Take() { return std::move(files_); }

 private:
  static constexpr int kDeepest = 32;

  absl::StatusOr<std::set<std::string>> Names(const Descriptor& folder,
                                              const std::string& shown) const {
    DIR* const dir = fdopendir(fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
    if (dir == nullptr) return ErrnoStatus(errno, shown);
    std::set<std::string> names;
    while (const dirent* entry = readdir(dir)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.insert(name);
      if (names.size() > limit_) break;  // Add() says so.
    }
    closedir(dir);
    return names;
  }

  const std::string& folder_;
  const size_t limit_;
  const std::vector<std::string>& left_out_;
  const Descriptor root_;
  std::vector<FileBeneath> files_;
};

struct Free {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

absl::Status StreamBeneath(const std::string& folder, const std::string& path,
                           absl::FunctionRef<absl::Status(absl::string_view)> take) {
  const std::string shown = absl::StrCat(folder, "/", path);
  const Descriptor root(OpenFolder(folder));
  if (root.get() < 0) return ErrnoStatus(errno, folder);
  const Descriptor file(OpenBeneath(root.get(), path.c_str()));
  if (file.get() < 0) return NotOpened(shown);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, shown);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(shown, ": want a regular file"));
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got == 0) return absl::OkStatus();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, shown);
    RETURN_IF_ERROR(take(absl::string_view(buffer, static_cast<size_t>(got))));
  }
}

absl::StatusOr<std::vector<FileBeneath>> ListBeneath(const std::string& folder,
                                                     const std::string& path, size_t limit,
                                                     const std::vector<std::string>& left_out) {
  Lister lister(folder, limit, left_out);
  RETURN_IF_ERROR(lister.Add(path, 0));
  return lister.Take();
}

absl::StatusOr<std::string> ReadBeneath(const std::string& folder, const std::string& path,
                                        size_t limit) {
  std::string content;
  RETURN_IF_ERROR(StreamBeneath(folder, path, [&](absl::string_view piece) {
    content.append(piece.data(), piece.size());
    if (content.size() <= limit) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat(folder, "/", path, ": more than ", limit, " bytes"));
  }));
  return content;
}

absl::StatusOr<std::string> Sha256Beneath(const std::string& folder, const std::string& path) {
  Sha256 digest;
  RETURN_IF_ERROR(StreamBeneath(folder, path, [&](absl::string_view piece) {
    digest.Add(piece);
    return absl::OkStatus();
  }));
  return digest.Finish();
}

absl::StatusOr<std::string> Decompress(const std::string& bytes, size_t limit) {
  if (bytes.empty()) return bytes;
  const std::unique_ptr<archive, Free> reader(archive_read_new());
  if (reader == nullptr) return absl::ResourceExhaustedError("no memory to decompress");
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* entry = nullptr;
  std::string out;
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return absl::InvalidArgumentError(
        absl::StrCat("decompress: ", archive_error_string(reader.get())));
  }
  char buffer[1 << 16];
  for (;;) {
    const la_ssize_t got = archive_read_data(reader.get(), buffer, sizeof buffer);
    if (got == 0) return out;
    if (got < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("decompress: ", archive_error_string(reader.get())));
    }
    out.append(buffer, static_cast<size_t>(got));
    if (out.size() > limit) {
      return absl::OutOfRangeError(absl::StrCat("decompress: more than ", limit, " bytes"));
    }
  }
}

}  // namespace shakedown::agent
