#include "agent/build/hostile_files.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>

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

// Opens the regular file and gives its content in pieces; `take` ends it with an error.
absl::Status EachPiece(const std::string& folder, const std::string& path,
                       const std::function<absl::Status(absl::string_view)>& take) {
  const std::string shown = absl::StrCat(folder, "/", path);
  const Descriptor root(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (root.get() < 0) return ErrnoStatus(errno, folder);
  const Descriptor file(OpenBeneath(root.get(), path.c_str()));
  if (file.get() < 0) {
    if (errno == ELOOP || errno == EXDEV || errno == EISDIR || errno == ENXIO) {
      return absl::InvalidArgumentError(absl::StrCat(shown, ": want a regular file, no link"));
    }
    return ErrnoStatus(errno, shown);
  }
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

struct Free {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

absl::StatusOr<std::string> ReadBeneath(const std::string& folder, const std::string& path,
                                        size_t limit) {
  std::string content;
  RETURN_IF_ERROR(EachPiece(folder, path, [&](absl::string_view piece) {
    content.append(piece.data(), piece.size());
    if (content.size() <= limit) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat(folder, "/", path, ": more than ", limit, " bytes"));
  }));
  return content;
}

absl::StatusOr<std::string> Sha256Beneath(const std::string& folder, const std::string& path) {
  Sha256 digest;
  RETURN_IF_ERROR(EachPiece(folder, path, [&](absl::string_view piece) {
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
